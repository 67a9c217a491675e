"""How an item of a run stands, in the words of its table."""

from collections import Counter

from forge_cli.cli.board import Board, Row
from forge_cli.cli.words import tally
from forge_cli.multiagent.plan import Item


def who(item: Item) -> str:
    """The role that does an item; of an inline one, and one of sub-tasks, how it is done."""
    if item.children:
        return item.pattern
    return "inline" if item.role_id.startswith("inline:") else item.role_id


def state_of(board: Board, item: Item) -> str:
    """A word, or a few where it waits for others or is done by its parts."""
    row = board.rows.get(item.item_id)
    if row is None or row.status == "waiting":
        return _waits(board, item)
    if board.is_group(item):
        return _group_state(board, item, row)
    if row.undoing:
        status = "accepted" if row.status == "succeeded" else row.status
        return f"{status}, {row.undoing}"
    if row.status == "succeeded":
        return "accepted"
    if row.status == "paused" and board.withheld(item.item_id):
        return "paused, denied"
    if board.status == "abandoned" and row.status == "running":
        return "lost"
    if board.status and row.status in ("running", "retrying"):
        return "stopped"
    return "waits to be retried" if row.status == "retrying" else row.status


def _waits(board: Board, item: Item) -> str:
    if board.status not in ("", "paused"):
        return "not started"
    fine = ("succeeded", "skipped")
    missing = [i for i in (*item.depends_on, *item.after) if board.status_of(i) not in fine]
    if not missing:
        return "waits for a slot" if board.running else "waits"
    return f"waits for {missing[0]}" + (f" +{len(missing) - 1}" if missing[1:] else "")


def _group_state(board: Board, item: Item, row: Row) -> str:
    children: Counter[str] = row.children or Counter()
    total = len(row.elements or item.children)
    running = len(board.flights(item.item_id))
    waiting = total - children.total() - running
    counts = [tally(children), f"{running} running" if running else ""]
    if row.ended is None and waiting > 0:
        counts.append(f"{waiting} not ended" if board.status else f"{waiting} wait")
    return ", ".join(filter(None, counts)) or (
        "accepted" if row.status == "succeeded" else row.status
    )
