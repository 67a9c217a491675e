"""Evidence without bodies: what agents were told and answered stands there as digests only."""

from collections.abc import Callable, Mapping

from forge_cli.canonical import digest
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Item, Json, Plan


def without_bodies(plan: Plan, event: Event) -> Event:
    """The event with every value that a person, an agent or a file supplied as its digest.

    What the machine goes by stays: who, when, status, usage, verdicts, digests, the risk of a
    proposal, how many elements there are, and elements that are a scope. So the same items end
    alike, every turn can be held against its contract and every account be added up; what cannot
    be done any more is to decide again (`when`, references) and to judge again.
    """
    reduce = _REDUCTIONS.get(event.kind)
    if reduce is None:
        return event
    body = reduce(event.body, plan, plan.items.get(_owner(plan, event.item)))
    return Event(event.time, event.kind, event.item, event.attempt, body)


def reduced(value: Json) -> Json:
    """A value's digest; a list keeps its length, so that lists can still be joined."""
    if isinstance(value, list):
        return [reduced(element) for element in value]
    return {"digest": digest(value)}


def _owner(plan: Plan, name: str) -> str:
    """The item of the plan that an item or element of the run stems from."""
    while name and name not in plan.items:
        name = name.rpartition(".")[0]
    return name


def _each(values: Mapping[str, Json] | None) -> Json:
    return None if values is None else {key: reduced(value) for key, value in values.items()}


def _run_started(body: Mapping[str, Json], plan: Plan, item: Item | None) -> dict[str, Json]:
    return {**body, "inputs": _each(body["inputs"]), "env": _each(body["env"])}


def _condition_evaluated(
    body: Mapping[str, Json], plan: Plan, item: Item | None
) -> dict[str, Json]:
    kept = {"value": bool(body["value"])}
    return kept | {"error": digest(body["error"])} if "error" in body else kept


def _item_opened(body: Mapping[str, Json], plan: Plan, item: Item | None) -> dict[str, Json]:
    keeps = item is not None and item.with_each
    return dict(body) if keeps else {**body, "elements": reduced(body["elements"])}


def _turn_started(body: Mapping[str, Json], plan: Plan, item: Item | None) -> dict[str, Json]:
    told = {key: digest(body[key]) for key in ("goal", "handler") if key in body}
    inputs = {"inputs": _each(body["inputs"])} if "inputs" in body else {}
    return {**body, **told, **inputs}


def _turn_ended(body: Mapping[str, Json], plan: Plan, item: Item | None) -> dict[str, Json]:
    kept = {**body}
    for key in ("partial", "state", "effects", "posts", "requests"):
        if kept.get(key) is not None:
            kept[key] = reduced(kept[key])
    if kept.get("message"):
        kept["message"] = digest(kept["message"])
    if kept.get("output") is not None:
        kept["output"] = _each(kept["output"]) | _risk(plan, item, kept["output"])
    verdict = kept.get("verdict")
    if verdict is not None and verdict.get("reason"):
        kept["verdict"] = {**verdict, "reason": digest(verdict["reason"])}
    return kept


def _risk(plan: Plan, item: Item | None, output: Mapping[str, Json]) -> dict[str, Json]:
    parent = plan.items.get(item.parent or "") if item else None
    proposes = parent is not None and parent.pattern == "resolve"
    return {"risk": output["risk"]} if proposes and "risk" in output else {}


def _item_ended(body: Mapping[str, Json], plan: Plan, item: Item | None) -> dict[str, Json]:
    return {**body, "reason": digest(body["reason"])} if body["reason"] else dict(body)


def _run_ended(body: Mapping[str, Json], plan: Plan, item: Item | None) -> dict[str, Json]:
    return {**body, "outputs": _each(body["outputs"])} if "outputs" in body else dict(body)


_REDUCTIONS: Mapping[str, Callable[[Mapping[str, Json], Plan, Item | None], dict[str, Json]]] = {
    "run_started": _run_started,
    "condition_evaluated": _condition_evaluated,
    "item_opened": _item_opened,
    "turn_started": _turn_started,
    "turn_ended": _turn_ended,
    "item_ended": _item_ended,
    "run_ended": _run_ended,
}
