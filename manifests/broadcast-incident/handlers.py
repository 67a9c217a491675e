"""A watcher, two analysts and a commander: each hears the channels that it listens to."""

from pathlib import Path

from forge_cli.multiagent.turn import TurnResult


def alarm(turn):
    """Say from when to when something was wrong."""
    window = f"{turn.inputs['begins']}-{turn.inputs['ends']}"
    return TurnResult.done({"window": window}, posts=({"text": window, "tags": ["window"]},))


def look(turn):
    """Find the marked lines of one file within the window that the alarm names."""
    begins, _, ends = turn.inbox[0].payload["text"].partition("-")
    lines = Path(turn.inputs["file"]).read_text("utf-8").splitlines()
    found = [
        line
        for line in lines
        if begins <= line[:5] <= ends and any(mark in line for mark in turn.inputs["marks"])
    ]
    text = f"{len(found)} lines, first {found[0]!r}" if found else "nothing"
    return TurnResult.done({"finding": text}, posts=({"text": text, "tags": [turn.role_id]},))


def conclude(turn):
    """The cause, as far as what was found tells it, and whom it was heard from."""
    found = [message for message in turn.inbox if message.kind == "result"]  # and not from the run
    heard = {message.sender.partition("#")[2]: message.payload["text"] for message in found}
    full = any(",100" in text for text in heard.values())
    cause = "the disk was full" if full else "not found; look at more than these files"
    return {"cause": cause, "heard": sorted(heard)}
