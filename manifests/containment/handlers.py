"""Handlers of the manifests beside this file."""

import time

from forge_cli.multiagent.turn import TurnResult


def write(turn):
    """Asks back at its first attempt; what it is told is the reason that it gave itself."""
    if not turn.inbox:
        raise ValueError("it does not say which day; left out: the day")
    return {"result": f"The shop is closed. ({turn.inbox[0].payload['reason'].rpartition(': ')[2]})"}


def edit(turn):
    """A plan for a day, which takes so many seconds to make."""
    time.sleep(turn.inputs["seconds"])
    return {"plan": f"closed on {turn.inputs['day']}"}


def draft(turn):
    """Asks forge to write a file: the one that it was given, or, told of a denial, its own."""
    if turn.answers:
        return {"result": turn.state}
    path = "manifests/containment/desk/draft.txt" if turn.inbox else turn.inputs["file"]
    arguments = {"path": path, "content": "The price stays.\n"}
    return TurnResult.yields(path, requests=({"tool": "write_file", "arguments": arguments},))
