"""One item of a run in full: its contract, its attempts, what went in, came out and was written."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from forge_cli.app.sandbox import OFF
from forge_cli.cli.figures import amounts, count, duration, elapsed, measured, size
from forge_cli.cli.grants import grant_lines
from forge_cli.cli.header import short_digest
from forge_cli.cli.tables import clip, hang, left, right
from forge_cli.cli.terminal import Terminal
from forge_cli.cli.undoing import undoing
from forge_cli.cli.words import DECIDED, WORDS, colour, tally
from forge_cli.multiagent import denials
from forge_cli.multiagent.budget import used
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Item, Json, Plan

_MOST_LINES = 12
_ONE_LINE = 240
_MOST_CAPTURED = 40
_MOST_BYTES = 65_536
_MOST_CHILDREN = 30


@dataclass(slots=True)
class ItemStory:
    """What the events of a run say of one item; `attempts` maps ids to what began and ended."""

    item_id: str
    started: int = 0
    sandbox: str = OFF
    attempts: dict[str, tuple[Event, Event | None]] = field(default_factory=dict)
    notes: list[Event] = field(default_factory=list)

    def apply(self, event: Event) -> None:
        """Take in one event of the run, whatever it is about."""
        if event.kind == "run_started":
            self.started = event.time
            self.sandbox = event.body.get("sandbox", OFF)
        if event.item != self.item_id:
            return
        if event.kind == "turn_started":
            self.attempts[event.attempt] = (event, None)
        elif event.kind in ("turn_ended", "turn_lost"):
            self.attempts[event.attempt] = (self.attempts[event.attempt][0], event)
        else:
            self.notes.append(event)


def item_lines(
    plan: Plan,
    node: Node,
    story: ItemStory,
    terminal: Terminal,
    read: Callable[[str], bytes],
    whole: bool = False,
) -> list[str]:
    """The report, at most 100 columns wide; long values and outputs are cut, and say so.

    With `whole` they are not cut, and lines of captured output are as long as they are. `node` is
    the item as the machine has it, `read` gives the bytes kept under a digest.
    """
    blocks = [
        heading(node, terminal),
        _contract(plan, node, story.sandbox, terminal),
        _attempts(plan, node, story, terminal),
        _children(node, terminal),
        _values("inputs", _inputs(story), terminal, whole),
        _values("outputs", node.output or {}, terminal, whole),
        _values("partial result, not accepted", _partial(node), terminal, whole),
        *_captured(story, terminal, read, whole),
    ]
    return [line for block in blocks if block for line in [*block, ""]][:-1]


def heading(node: Node, terminal: Terminal) -> list[str]:
    """How the item ended or stands, and why."""
    word = WORDS.get(node.status, node.status)
    lines = [f"{terminal.ink('bold', node.item_id)}  {terminal.ink(colour(word), word)}"]
    if node.reason:
        reason = "\n".join(map(terminal.safe, node.reason.split("\n")))
        kind = f"{node.kind}: " if node.kind else ""
        lines += hang("  ", kind + reason, most=_MOST_LINES)
    return lines


def _contract(plan: Plan, node: Node, reached: str, terminal: Terminal) -> list[str]:
    item = node.item
    links = " > ".join((*item.chain, f"item:{node.item_id}"))
    lines = [" contract as granted", *grant_lines(plan, item, node.grant, reached, terminal)]
    lines += hang("  chain  ", links)
    if item.goal:
        lines += hang("  goal   ", terminal.safe(item.goal), most=_MOST_LINES)
    if item.budget is not None:
        lines.append(f"  budget {amounts(item.budget.limits())}")
    lines.append(f"  time   {duration(item.timeout)} for each attempt")
    return lines


def _attempts(plan: Plan, node: Node, story: ItemStory, terminal: Terminal) -> list[str]:
    if not story.attempts and not any(_note(e, node.item) for e in story.notes):
        return [] if node.children else [" attempts", "  none; it was not started"]
    lines, metered = [" attempts"], _metered(plan, node)
    for began, ended in story.attempts.values():
        number = f"{began.body['number']}"
        if began.body["turn"] > 1:
            number += f".{began.body['turn']}"
        start = elapsed(began.time - story.started)
        until = "" if ended is None else elapsed(ended.time - story.started)
        head = f"  {right(number, 4)}  {right(start, 7)} to {left(until or 'now', 7)}  "
        texts = _outcome(began, ended, metered, terminal)
        lines += hang(head, "\n".join(texts), most=_MOST_LINES)
    for event in story.notes:
        text = _note(event, node.item)
        if text:
            time = elapsed(event.time - story.started)
            lines += hang(f"        {right(time, 7)}             ", terminal.safe(text))
    return lines


def _metered(plan: Plan, node: Node) -> frozenset[str]:
    role = plan.roles.get(node.item.role_id)
    return role.handler.metered if role else frozenset()


def _note(event: Event, item: Item) -> str:
    """What an event says that is no attempt; nothing of one that the page tells elsewhere."""
    body = event.body
    if event.kind in ("response_ignored", "turn_cancelled"):
        return f"{event.kind.replace('_', ' ')}: {body['reason']}"
    if event.kind == "approval_requested":
        return f"paused: {body['reason']}, digest {short_digest(body['digest'])}"
    if event.kind == "item_decided":
        narrow = "".join(f", {key} {', '.join(v)}" for key, v in body.get("narrow", {}).items())
        return f"{DECIDED[body['decision']]} by {body['by']}{narrow}"
    if event.kind == "item_paused":
        return f"paused: {body['reason']}"
    if event.kind == "request_denied" and "action" in body:
        return _denial(body)
    if event.kind == "item_reused":
        return f"taken over from run {body['run']}"
    if told := undoing(event, item):
        return ": ".join(told)
    return ""


def _outcome(
    began: Event, ended: Event | None, metered: frozenset[str], terminal: Terminal
) -> Iterator[str]:
    slice_ = amounts(began.body["slice"])
    may = f", may use {slice_}" if slice_ else ""
    if ended is None:
        yield f"running as {began.body['role']}{may}"
        return
    body = ended.body
    if ended.kind == "turn_lost":
        yield f"lost, as {began.body['role']}{may}; {body['reason']}"
        return
    booked = used(began.body["slice"], body["usage"], metered)
    unknown = booked and not body["usage"] and not metered.isdisjoint(booked)
    what = "unknown, counted as all it might" if unknown else _used(booked) or "nothing"
    yield f"{body['status']}, as {began.body['role']}{may}; used {what}"
    for each in body.get("denials", ()):
        yield terminal.safe(_denial(each))
    verdict = body.get("verdict") or {}
    if body["status"] == "failed":
        yield from map(terminal.safe, str(body.get("message", "")).split("\n"))
    elif verdict and not verdict["accepted"]:
        yield terminal.safe(f"not accepted: {verdict.get('reason', '')}")


def _denial(denial: Mapping[str, Json]) -> str:
    return f"denied {denial['tool']}: {denials.sentence(denial)}"


def _used(usage: Mapping[str, int]) -> str:
    texts = [amounts({d: n}) for d, n in usage.items() if d != "cost_usd" and n]
    return ", ".join([*texts, *([measured(usage["cost_usd"])] if usage.get("cost_usd") else [])])


def _children(node: Node, terminal: Terminal) -> list[str]:
    """Elements or sub-tasks: how many ended how, and those first that did not go well."""
    if not node.children:
        return []
    counts: dict[str, int] = {}
    for child in node.children:
        counts[child.status] = counts.get(child.status, 0) + 1
    rest = sum(n for s, n in counts.items() if s in ("waiting", "ready", "running", "retrying"))
    told = ", ".join(filter(None, [tally(counts), f"{rest} open" if rest else ""]))
    lines = [f" {count(len(node.children), 'part')}: {told}"]
    ranked = sorted(node.children, key=lambda c: c.status in ("succeeded", "skipped"))
    for child in ranked[:_MOST_CHILDREN]:
        word = left(WORDS.get(child.status, child.status), 9)
        each = "" if child.each is None else f"  {json.dumps(child.each, ensure_ascii=False)}"
        text = terminal.safe(f"{child.item_id}{each}  {child.reason}".rstrip())
        lines.append(clip(f"  {word}  {text}", 100))
    if len(ranked) > _MOST_CHILDREN:
        lines.append(f"  and {len(ranked) - _MOST_CHILDREN} more")
    return lines


def _inputs(story: ItemStory) -> Mapping[str, Json]:
    """What the last attempt was given, or one that awaits an approval would be."""
    starts = [began for began, _ in story.attempts.values()]
    starts += [event for event in story.notes if event.kind == "approval_requested"]
    return (starts[-1].body.get("inputs") or {}) if starts else {}


def _partial(node: Node) -> Mapping[str, Json]:
    if node.partial is None or node.status == "succeeded":
        return {}
    return node.partial if isinstance(node.partial, dict) else {"result": node.partial}


def _values(title: str, values: Mapping[str, Json], terminal: Terminal, whole: bool) -> list[str]:
    if not values:
        return []
    columns = min(max(map(len, values)), 24)
    lines = [f" {title}"]
    for key, value in values.items():
        text = value if isinstance(value, str) else _json(value)
        head = f"  {left(clip(terminal.safe(key), columns), columns)}  "
        kept = text if whole else text[:_MOST_BYTES]
        shown = "\n".join(map(terminal.safe, kept.split("\n")))
        lines += hang(head, shown, most=0 if whole else _MOST_LINES)
    return lines


def _json(value: Json) -> str:
    """A value on one line, or indented where that line would be long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _ONE_LINE else json.dumps(value, ensure_ascii=False, indent=2)


def _captured(
    story: ItemStory, terminal: Terminal, read: Callable[[str], bytes], whole: bool
) -> Iterator[Sequence[str]]:
    """The end of what the last attempt that ended wrote, or all of it, stream by stream."""
    ends = [ended for _, ended in story.attempts.values() if ended and ended.kind == "turn_ended"]
    for stream, digest in sorted((ends[-1].body.get("captured") or {}).items() if ends else ()):
        data = read(digest)
        text = data[0 if whole else -_MOST_BYTES :].decode(errors="replace")
        kept = text.splitlines()[0 if whole else -_MOST_CAPTURED :]
        cut = len(b"\n".join(line.encode() for line in kept)) < len(data) - 1
        note = f", its last {count(len(kept), 'line')}" if cut else ""
        head = f" {terminal.safe(stream)}, {size(len(data))}{note}"
        lines = [f"  │ {terminal.safe(line)}" for line in kept]
        yield [head, *(lines if whole else (clip(line, 100) for line in lines))]
