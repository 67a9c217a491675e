"""What persons decide about items that cannot go on by themselves."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from forge_cli.multiagent.node import AWAITING, Node
from forge_cli.multiagent.plan import Grant, Json
from forge_cli.multiagent.scope import contains

Sequel = Literal["again", "concludes", "succeeds", "ends"]

APPROVAL = "approval"
"""The kind of a pause which only an approval ends well: before a first turn, or a choice."""

NARROWED = ("capabilities", "actions", "scope", "writes")
"""What of a grant a decision may make smaller."""

REACHING = frozenset({"scope", "writes"})
"""What of these says where something may be touched."""


def possible(node: Node) -> tuple[str, ...]:
    """The decisions that an item is open to; none if it awaits none."""
    if node.status not in AWAITING:
        return ()
    if node.kind == APPROVAL:
        return "approve", "deny"
    if node.pattern != "turn" and any(child.ended for child in node.children):
        return ("deny",)
    if node.children and node.pattern != "turn":
        return "reissue", "deny"
    return ("rerun" if node.status == "indeterminate" else "reissue"), "accept", "deny"


def follow(node: Node, body: Mapping[str, Json]) -> Sequel:
    """Note a decision on the node, and what comes of it.

    That is another attempt, the choice that it has come to, success or the end.
    `body` is that of the `item_decided`. Raises `ValueError` for a decision that the node is not
    open to, an approval of another contract, a result that does not meet its own, a wider grant.
    """
    decision = body["decision"]
    if decision not in possible(node):
        raise ValueError(f"{node.item_id!r} is {node.status}, so {decision!r} decides nothing")
    if decision == "deny":
        node.kind, node.reason = "denied", f"declined by {body['by']}"
        return "ends"
    if decision == "accept":
        return _accept(node, body["verdict"])
    if decision == "approve":
        _approve(node, body["digest"])
        if node.children and node.pattern != "turn":
            return "concludes"
    elif decision == "reissue":
        _reissue(node, body.get("narrow", {}))
    else:
        # What a person lets run once more was approved, if it had to be, when it first ran.
        node.approved, node.resume_at = node.seal, max(node.turn, 1)
    node.excused, node.seal = node.attempt, ""
    return "again"


def _accept(node: Node, verdict: Mapping[str, Json]) -> Sequel:
    if not verdict["accepted"]:
        raise ValueError(f"what is given for {node.item_id!r} is not accepted: {verdict['reason']}")
    node.kind = node.reason = ""
    node.held_digests = tuple(verdict.get("evidence", {}).values())
    return "succeeds"


def _approve(node: Node, digest: str) -> None:
    if digest != node.seal:
        raise ValueError(f"{node.item_id!r} awaits the approval of {node.seal}, not of {digest}")
    node.approved = digest


def _reissue(node: Node, narrow: Mapping[str, Json]) -> None:
    if node.children and node.pattern != "turn" and narrow:
        raise ValueError(f"{node.item_id!r} is done by others, which it lends nothing to narrow")
    if node.pattern == "each" and node.item.with_each and REACHING & narrow.keys():
        raise ValueError(f"what {node.item_id!r} may touch is narrowed element by element")
    node.grant = narrowed(node.grant, narrow)
    node.told = {"attempt": node.attempt_id, "kind": node.kind, "reason": node.reason}
    node.saved, node.resume_at = None, 1
    if node.board is not None:
        node.board.forget(node.item_id)


def narrowed(grant: Grant, narrow: Mapping[str, Json]) -> Grant:
    """The grant with some of it made smaller; `ValueError`, with what is too much, otherwise."""
    for name in narrow:
        if name not in NARROWED:
            raise ValueError(f"{name!r} cannot be narrowed, only {', '.join(NARROWED)}")
    changes: dict[str, frozenset[str] | tuple[str, ...]] = {}
    for name in ("capabilities", "actions"):
        if name in narrow:
            changes[name] = _fewer(name, getattr(grant, name), frozenset(narrow[name]))
    for name in ("scope", "writes"):
        if name in narrow:
            changes[name] = _within(name, getattr(grant, name), tuple(narrow[name]))
    smaller = replace(grant, **changes)  # type: ignore[arg-type]
    if REACHING & narrow.keys():
        _within("writes", smaller.scope, smaller.writes)
    return smaller


def _fewer(name: str, held: frozenset[str], wanted: frozenset[str]) -> frozenset[str]:
    surplus = sorted(wanted - held)
    if surplus:
        raise ValueError(f"{name} would be widened by {surplus[0]!r}")
    return wanted


def _within(name: str, held: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in wanted:
        inclusion = contains(held, pattern)
        if not inclusion.holds:
            raise ValueError(
                f"{name} would reach {pattern!r}, beyond {', '.join(held) or 'nothing'}"
            )
    return wanted
