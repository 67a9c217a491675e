"""Designers that talk on a board until all of them read the same choice from it."""

from forge_cli.multiagent.turn import TurnResult


def agree(turn):
    """One turn for each round: rank, object to the leader or second it, and choose."""
    heard = (turn.state or []) + [_read(message.payload) for message in turn.inbox]
    if turn.group["round"] == 1:
        return _say(heard, "ranking", ", ".join(turn.inputs["ranking"]))
    leader = _leaders(heard, turn.inputs)[0]
    if turn.group["round"] == 2:
        tag = "objection" if leader in turn.inputs["bars"] else "second"
        return _say(heard, tag, leader)
    barred = {text for tag, text in heard if tag == "objection"} | set(turn.inputs["bars"])
    free = [option for option in _leaders(heard, turn.inputs) if option not in barred]
    return {"choice": free[0]}


def write(turn):
    """The choice, who said what, and in what they differ."""
    given = turn.inputs
    said = [f"* {each['author']}: {each['tags'][0]} {each['text']}" for each in given["board"]]
    apart = ", ".join(each["output"] for each in given["conflicts"]) or "nothing"
    head = f"# {given['choice']['choice']}"
    return {"minutes": "\n".join([head, "", *said, "", f"They differ in {apart}.", ""])}


def _say(heard, tag, text):
    return TurnResult.yields([*heard, [tag, text]], posts=({"text": text, "tags": [tag]},))


def _read(payload):
    return [payload["tags"][0], payload["text"]]


def _leaders(heard, inputs):
    """Every option, best first: three points for a first place, two for a second."""
    rankings = [text.split(", ") for tag, text in heard if tag == "ranking"]
    points = {}
    for ranking in rankings or [inputs["ranking"]]:
        for place, option in enumerate(ranking):
            points[option] = points.get(option, 0) + 3 - place
    return sorted(points, key=lambda option: (-points[option], option))
