"""Which responses count: from the agent that was asked, for the attempt that is current."""

from forge_cli.multiagent.run_state import RunState


def objection(state: RunState, attempt: str, sender: str, turn: int) -> str:
    """Why a response must be ignored, or nothing if it answers a turn that is running.

    `sender` is the channel by which it came, never what the response says of itself; `turn` counts
    the turns of the item's line from 1, as the turn's own number does.
    """
    node = state.running.get(attempt)
    if node is None:
        owner, _, number = attempt.removeprefix(f"{state.run_id}/").rpartition("/")
        known = state.nodes.get(owner)
        if known is None or not number.isdecimal() or int(number) > known.attempt:
            return "foreign: no such attempt was made"
        return "late: the attempt has ended"
    # The channel fills in all else of a response, so `messages.correlate` comes down to this.
    recipient = f"{node.item.role_id}#{node.item_id}"
    if sender != recipient:
        return f"foreign: {sender!r} was not asked, {recipient!r} was"
    return "" if turn == node.turn else f"late: it answers turn {turn}, and turn {node.turn} runs"
