"""What another controller records when it goes on with a run that was left."""

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.run_state import RunState

LOST = "its controller was lost while it ran, so what it did is not known"


def taken_over(state: RunState, epoch: int, now: int) -> list[Event]:
    """The events by which a controller of that epoch takes over: what was in flight is lost.

    `now` is in milliseconds since the epoch (UTC), and not before the last event.
    """
    events = [Event(now, "run_resumed", body={"epoch": epoch})]
    # The one that was started first comes last, for each goes before those that wait.
    for attempt, node in reversed(state.running.items()):
        events.append(Event(now, "turn_lost", node.item_id, attempt, {"reason": LOST}))
    return events
