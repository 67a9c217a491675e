"""What undid an item, or did not, in words."""

from forge_cli.cli.figures import count
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Item

QUIET = frozenset({"restored", "undone"})
"""Words that a person need not see."""


def undoing(event: Event, item: Item) -> tuple[str, str] | None:
    """The word for what an event says of a compensation, and the detail; None if it says nothing.

    `item` is the one that is undone.
    """
    body = event.body
    if event.kind == "compensation_refused":
        return "FAILED", f"what it did is not undone: {body['reason']}"
    if event.kind != "compensation_ended":
        return None
    if body["status"] == "failed":
        return "FAILED", f"what it did is not undone: {body['message']}"
    if body["status"] == "cancelled":
        return "stopped", "undoing it is started again when the run goes on"
    if item.compensate is not None and item.compensate.kind == "restore":
        changed = body["changed"]
        was = f"{count(changed, 'path')} as before it began" if changed else "nothing had changed"
        return "restored", was
    return "undone", "by its own program, exit status 0"


def undone(node: Node) -> str:
    """What to say behind the way an item ended of what it did: nothing if that stands."""
    if node.undo_failed:
        return ", not undone"
    return ", undone" if node.undone and not node.begun else ""
