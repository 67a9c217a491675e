"""What was denied to an item: what of it pauses the item, and which link of its chain refused."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from forge_cli.multiagent import tools
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json, Plan
from forge_cli.multiagent.scope import matches
from forge_cli.multiagent.terms import BUILT_IN

KIND = "denied"
"""The kind of a pause for which a denial is the reason."""

OWN = frozenset({"agent", "mcp", "tool"})
"""Kinds of handlers whose word for a denial is forge's own; what any other says of it is data."""

READ = "file-read"

DELEGATE = "delegate"
"""The action of who would have others do something: that it may not is answered, and no more."""

ANSWERED = frozenset({READ, DELEGATE})
"""The actions of which a denial alone pauses nothing."""

MOST_READS = 3
"""Denied reads of one attempt that are only answered; counted from its first turn on."""

_RANK = ("run", "item", "role", "delegates", "delegation")
"""What is asked first whether it refuses: whoever could not grant it, before who did not."""


@dataclass(frozen=True, slots=True)
class _Link:
    """What one link of a chain allows; None where it narrows nothing."""

    name: str
    capabilities: frozenset[str] | None
    scope: tuple[str, ...] | None
    actions: frozenset[str] | None = None
    writes: tuple[str, ...] | None = None


def denied(plan: Plan, node: Node, kind: str, effects: Sequence[Json]) -> list[Json]:
    """The denials among the effects of a turn that a handler of this kind made, with their links.

    Each is `{tool, action, reason}` and, if a link of the chain refused, `link` and `key`.
    """
    if kind not in OWN:
        return []
    return [
        {
            **{key: each[key] for key in ("tool", "action")},
            "reason": each["denied"],
            **_refusing(plan, node, each),
        }
        for each in effects
        if "denied" in each
    ]


def _refusing(plan: Plan, node: Node, effect: Mapping[str, Json]) -> dict[str, Json]:
    if "key" in effect:  # every link allows it, and the role's handler does without
        return {"link": f"role:{node.item.role_id}", "key": effect["key"]}
    return refusing(plan, node, effect["action"], effect.get("capability"), effect.get("touches"))


def refusing(
    plan: Plan,
    node: Node,
    action: str,
    capability: str | None = None,
    touches: str | None = None,
) -> dict[str, Json]:
    """The outermost link above the item that does not allow the action, and the key that says so.

    `capability` is the one that it takes, `touches` the `files:<path>` or `net:<host>:<port>` that
    it would reach. Nothing if every link allows it, and forge itself does not.
    """
    for link in _links(plan, node):
        key = _beyond(link, action, touches) if touches else ""
        if not touches and _lacks(plan, link, action, capability):
            key = "capabilities"
        if key:
            return {"link": link.name, "key": key}
    return {}


def pausing(found: Sequence[Json], reads: int) -> Json | None:
    """The first of the denials for which an item pauses, after so many denied reads; or None."""
    for each in found:
        if each["action"] == DELEGATE:
            continue
        reads += each["action"] == READ
        if each["action"] != READ or reads > MOST_READS:
            return each
    return None


def reads(found: Sequence[Json]) -> int:
    """How many of the denials are of reads."""
    return sum(each["action"] == READ for each in found)


def sentence(denial: Mapping[str, Json]) -> str:
    """Why an item pauses: what was denied, and who refused."""
    return f"{denial['reason']}; refused by {refuser(denial)}"


def refuser(denial: Mapping[str, Json]) -> str:
    """The words for the link that refused, like `the writes of item 'build'`."""
    kind, _, name = denial.get("link", "").partition(":")
    if not kind:
        return "forge itself"
    if kind == "run":
        return f"the {denial['key']} of the run"
    if kind == "delegates":
        return f"the {denial['key']} that role {name!r} hands on"
    return f"the {denial['key']} of {kind} {name!r}"


def _links(plan: Plan, node: Node) -> Iterator[_Link]:
    """The chain from the run inwards; a call of a tool has that of the item which asked for it."""
    if node.origin is not None and node.parent is not None:
        yield from _links(plan, node.parent)
        if node.item.role_id == tools.ROLE.role_id:
            return
    for name in sorted(node.item.chain, key=_rank):
        contract = plan.contracts[name]
        yield _Link(name, contract.capabilities, contract.scope)
    grant = node.grant
    yield _Link(
        f"item:{node.item_id}", grant.capabilities, grant.scope, grant.actions, grant.writes
    )


def _rank(name: str) -> int:
    return _RANK.index(name.partition(":")[0])


def _lacks(plan: Plan, link: _Link, action: str, capability: str | None) -> bool:
    if link.capabilities is None:
        return False
    if capability is not None:
        return capability not in link.capabilities
    if link.actions is not None:
        return action not in link.actions
    return not any(_may_give(plan, word, action) for word in link.capabilities)


def _may_give(plan: Plan, word: str, action: str) -> bool:
    """Whether a capability allows the action; also if the plan does not say, to blame nobody."""
    actions = BUILT_IN.get(word, plan.vocabulary.get(word))
    return actions is None or action in actions


def _beyond(link: _Link, action: str, touches: str) -> str:
    """The key of the link that does not hold what would be touched, or nothing."""
    if link.scope is not None and not _holds(link.scope, touches):
        return "scope"
    if action == "file-write" and link.writes is not None and not _holds(link.writes, touches):
        return "writes"
    return ""


def _holds(patterns: tuple[str, ...], touches: str) -> bool:
    kind, _, path = touches.partition(":")
    return matches(patterns, path) if kind == "files" else touches in patterns
