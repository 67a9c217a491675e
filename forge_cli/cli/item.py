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
from forge_cli.cli.undoing import undoing, undone
from forge_cli.cli.unheard import unheard
from forge_cli.cli.words import DECIDED, WORDS, colour, tally
from forge_cli.multiagent import denials
from forge_cli.multiagent.budget import used
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json, Plan

_MOST_LINES = 12
_ONE_LINE = 240
_MOST_CAPTURED = 40
_MOST_BYTES = 65_536
_MOST_CHILDREN = 30


@dataclass(slots=True)
class ItemStory:
    """What the events of a run say of one item, in their order.

    `ends` maps attempts and their turns to how they ended, which is not among the `events`.
    """

    item_id: str
    started: int = 0
    sandbox: str = OFF
    ends: dict[tuple[str, int], Event] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)
    _turn: int = 1

    def apply(self, event: Event) -> None:
        """Take in one event of the run, whatever it is about."""
        if event.kind == "run_started":
            self.started = event.time
            self.sandbox = event.body.get("sandbox", OFF)
        if event.item != self.item_id:
            return
        if event.kind == "turn_started":
            self._turn = event.body["turn"]
        if event.kind in ("turn_ended", "turn_lost"):
            self.ends[event.attempt, self._turn] = event
        else:
            self.events.append(event)


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
    denied = ", denied" if (node.status, node.kind) == ("paused", denials.KIND) else ""
    name = terminal.ink("bold", node.item_id)
    lines = [f"{name}  {terminal.ink(colour(word), word)}{denied}{undone(node)}"]
    if node.reason:
        reason = "\n".join(map(terminal.safe, node.reason.split("\n")))
        kind = f"{node.kind}: " if node.kind and not denied else ""
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
    lines, metered = list[str](), _metered(plan, node)
    for event in story.events:
        start = right(elapsed(event.time - story.started), 7)
        if event.kind == "turn_started":
            lines += _attempt(story, event, start, node, metered, terminal)
        elif text := _note(event, node):
            lines += hang(f"        {start}             ", terminal.safe(text))
    if not lines and not node.children:
        lines = ["  none; it was not started"]
    return [" attempts", *lines] if lines else []


def _attempt(
    story: ItemStory,
    began: Event,
    start: str,
    node: Node,
    metered: frozenset[str],
    terminal: Terminal,
) -> list[str]:
    ended = story.ends.get((began.attempt, began.body["turn"]))
    number = f"{began.body['number']}"
    if began.body["turn"] > 1:
        number += f".{began.body['turn']}"
    until = "now" if ended is None else elapsed(ended.time - story.started)
    texts = [*_outcome(began, ended, metered, terminal), *_unheard(node, ended, terminal)]
    head = f"  {right(number, 4)}  {start} to {left(until, 7)}  "
    return hang(head, "\n".join(texts), most=_MOST_LINES)


def _metered(plan: Plan, node: Node) -> frozenset[str]:
    role = plan.roles.get(node.item.role_id)
    return role.handler.metered if role else frozenset()


def _note(event: Event, node: Node) -> str:
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
    if told := undoing(event, node.item):
        return ": ".join(told)
    return "".join(f"refused, {each}" for each in unheard(node, event))


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


def _unheard(node: Node, ended: Event | None, terminal: Terminal) -> Iterator[str]:
    """Which of the turn's posts reach nobody."""
    for each in () if ended is None else unheard(node, ended):
        yield f"refused, {terminal.safe(each)}"


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
        word = left(WORDS.get(child.status, child.status) + undone(child), 9)
        each = "" if child.each is None else f"  {json.dumps(child.each, ensure_ascii=False)}"
        text = terminal.safe(f"{child.item_id}{each}  {child.reason}".rstrip())
        lines.append(clip(f"  {word}  {text}", 100))
    if len(ranked) > _MOST_CHILDREN:
        lines.append(f"  and {len(ranked) - _MOST_CHILDREN} more")
    return lines


def _inputs(story: ItemStory) -> Mapping[str, Json]:
    """What the last attempt was given, or one that awaits an approval would be."""
    starts = [e for e in story.events if e.kind in ("turn_started", "approval_requested")]
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
    ends = [ended for ended in story.ends.values() if ended.kind == "turn_ended"]
    for stream, digest in sorted((ends[-1].body.get("captured") or {}).items() if ends else ()):
        data = read(digest)
        text = data[0 if whole else -_MOST_BYTES :].decode(errors="replace")
        kept = text.splitlines()[0 if whole else -_MOST_CAPTURED :]
        cut = len(b"\n".join(line.encode() for line in kept)) < len(data) - 1
        note = f", its last {count(len(kept), 'line')}" if cut else ""
        head = f" {terminal.safe(stream)}, {size(len(data))}{note}"
        lines = [f"  │ {terminal.safe(line)}" for line in kept]
        yield [head, *(lines if whole else (clip(line, 100) for line in lines))]
