"""Evidence without bodies: what agents were told and answered stands there as digests only."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from forge_cli.canonical import digest
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.patterns import BOARDS
from forge_cli.multiagent.plan import Item, Json, Plan
from forge_cli.multiagent.posts import faults

Reduction = Callable[[Json], Json]


def without_bodies(plan: Plan, event: Event) -> Event:
    """The event with every value that a person, an agent or a file supplied as its digest.

    What the machine goes by stays: who, when, status, usage, verdicts, digests, the risk of a
    proposal, how many elements there are, and elements that make a scope. So the same items end
    alike, every turn can be held against its contract and every account be added up; what cannot
    be done any more is to decide again (conditions, references) and to judge again. Whoever has a
    body can still show that it is the one; whoever can guess one can confirm the guess.
    """
    reductions = _REDUCTIONS.get(event.kind)
    if reductions is None:
        return event
    body = dict(event.body)
    item = plan.planned(event.item)
    for key, reduction in reductions.items():
        if body.get(key) not in _EMPTY and not (key == "elements" and item and item.with_each):
            body[key] = reduction(body[key])
    if event.kind == "turn_ended" and body.get("output") and _proposes(plan, item):
        body["output"]["risk"] = event.body["output"].get("risk")
    if body.get("posts"):
        body["posts"] = list(_posts(plan, item, body["posts"]))
    return Event(event.time, event.kind, event.item, event.attempt, body)


def _proposes(plan: Plan, item: Item | None) -> bool:
    parent = plan.items.get(item.parent or "") if item else None
    return parent is not None and parent.pattern == "resolve"


def _posts(plan: Plan, item: Item | None, posts: Sequence[Json]) -> Iterator[Json]:
    """Each post with its text as a digest, where it goes, and the tags that somebody listens to.

    One that was refused is refused in this form, too.
    """
    parent = plan.items.get(item.parent or "") if item else None
    group = parent if parent and parent.pattern in BOARDS else None
    members = [plan.items[name] for name in group.children] if group else []
    listens = {word for member in members for word in member.listens or ()}
    found = list(faults(item, group, posts)) if item else []
    for index, post in enumerate(posts):
        if index >= len(found) or found[index]:
            yield _reduced(post)
            continue
        kept: dict[str, Json] = {"text": digest(post["text"])}
        if tags := [tag for tag in post.get("tags", ()) if tag in listens]:
            kept["tags"] = tags
        if post.get("channel"):
            kept["channel"] = post["channel"]
        yield kept


def _reduced(value: Json) -> Json:
    """A value's digest; a list keeps its length, so that lists can still be joined."""
    if isinstance(value, list):
        return [_reduced(element) for element in value]
    return {"digest": digest(value)}


def _members(values: Mapping[str, Json]) -> Json:
    return {key: _reduced(value) for key, value in values.items()}


def _added(added: Mapping[str, Json]) -> Json:
    return {"keep": added["keep"], "add": _reduced(added["add"])}


def _reusable(kept: Mapping[str, Json]) -> Json:
    return {item: {**each, "output": _members(each["output"])} for item, each in kept.items()}


def _named(denial: Mapping[str, Json]) -> Json:
    return {key: digest(denial[key]) for key in ("tool", "reason")}


def _verdict(verdict: Mapping[str, Json]) -> Json:
    reason = verdict.get("reason")
    return {**verdict, "reason": digest(reason)} if reason else verdict


_EMPTY: tuple[Json, ...] = (None, "", [], {})

_REDUCTIONS: Mapping[str, Mapping[str, Reduction]] = {
    "run_started": {"inputs": _members, "env": _members, "reuse": _reusable},
    "condition_evaluated": {"value": bool, "error": digest},
    "item_opened": {"elements": _reduced},
    "turn_started": {
        "inputs": _members,
        "goal": digest,
        "handler": digest,
        "inbox": _reduced,
        "answers": _reduced,
    },
    "request_admitted": {"task": digest, "instructions": digest, "arguments": _reduced},
    "steps_inserted": {
        "steps": lambda steps: [
            {**step, "task": digest(step["task"]), "inputs": _members(step["inputs"])}
            for step in steps
        ]
    },
    "request_denied": {"tool": digest, "reason": digest},
    "approval_requested": {"inputs": _members, "goal": digest, "handler": digest},
    "item_reused": {"output": _members},
    "item_decided": {"output": _members, "verdict": _verdict},
    "turn_ended": {
        "output": _members,
        "partial": _reduced,
        "state": _reduced,
        "added": _added,
        "effects": _reduced,
        "denials": lambda found: [{**each, **_named(each)} for each in found],
        "requests": _reduced,
        "not_executed": _reduced,
        "message": digest,
        "verdict": _verdict,
    },
    "compensation_started": {"handler": digest},
    "compensation_ended": {"message": digest},
    "compensation_refused": {"reason": digest},
    "item_ended": {"reason": digest},
    "item_paused": {"reason": digest},
    "run_ended": {"outputs": _members},
}
"""By kind of event, what each key of its body that holds supplied values becomes."""
