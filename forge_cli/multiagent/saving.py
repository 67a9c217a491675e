"""Saved state as the log has it: of a list only what it does not share with the one before.

An agent's state is all that was said. Were it written whole for each turn, what is written would
grow with the square of the number of turns.
"""

from collections.abc import Mapping

from forge_cli.multiagent.terms import Json


def delta(before: Json, after: Json) -> dict[str, Json]:
    """What an event says of a state, given the one that the turn began with.

    `state`, or for a list `added`: the elements to `keep` from its start, and those to `add`.
    """
    if not isinstance(after, list):
        return {} if after is None else {"state": after}
    kept = 0
    if isinstance(before, list):
        for one, other in zip(before, after, strict=False):
            if one is not other and one != other:
                break
            kept += 1
    return {"added": {"keep": kept, "add": after[kept:]}}


def restored(before: Json, body: Mapping[str, Json]) -> Json:
    """The state that an event speaks of, given the one before it."""
    if "added" not in body:
        return body.get("state")
    kept = before if isinstance(before, list) else []
    return [*kept[: body["added"]["keep"]], *body["added"]["add"]]
