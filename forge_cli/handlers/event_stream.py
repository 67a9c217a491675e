"""The answer of a command-line agent, read from the events that it prints, one on each line."""

import json
from collections.abc import Mapping

from forge_cli.handlers.answers import AnswerError, kind_of, parse, shown
from forge_cli.handlers.extract import Answer, Extract, search
from forge_cli.handlers.objects import schema_of
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn

LONGEST = 1_000
"""Characters of a program's own words for its failure."""


def events_in(printed: bytes) -> list[Json]:
    """The objects with a `type` among the lines; other lines are for people, and passed over."""
    found = [_event(line) for line in printed.split(b"\n") if line.lstrip().startswith(b"{")]
    return [event for event in found if event is not None]


def answer_in(turn: Turn, printed: bytes) -> Answer:
    """The answer that the events give by the preset's `extract`.

    The last text is the output where there is one output and no schema; else it is the object
    that was made by the schema, or the one that the last text is. `AnswerError` for anything else.
    """
    config, events = turn.handler, events_in(printed)
    if not events:
        raise AnswerError(f"it printed no event; standard output reads {shown(printed)}")
    extract = Extract(config["extract"])
    usage, objection = extract.usage(events), extract.objection(events)
    if objection is not None:
        return Answer({}, usage, failure_in(config, events) or objection)
    # Events are not read as strictly as a result is.
    output = parse(json.dumps(_output(turn, events)).encode(), "its answer")
    return Answer(output, usage)


def failure_in(config: Mapping[str, Json], events: Json) -> str:
    """Why it came to nothing, in the program's own words, or nothing where it says none."""
    try:
        why = search(config["extract"]["why"], events)
    except AnswerError:
        return ""
    words = " ".join(why[:LONGEST].split()) if isinstance(why, str) else ""
    return f"it says: {words}" if words else ""


def _output(turn: Turn, events: list[Json]) -> Mapping[str, Json]:
    config, outputs = turn.handler, turn.grant.outputs
    extract = config["extract"]
    if not outputs:
        return {}
    made = search(extract["object"], events) if "object" in extract else None
    if isinstance(made, dict):
        return made
    text = search(extract["text"], _last(events, config.get("text_after", ())))
    if not isinstance(text, str) or not text.strip():
        raise AnswerError("its answer is empty")
    if schema_of(outputs, turn.completion) is None:
        return {outputs[0]: text}
    value = parse(_unfenced(text).encode(errors="surrogatepass"), "its answer")
    if not isinstance(value, dict):
        raise AnswerError(
            f"its answer is {kind_of(value)}, not an object with the outputs ({', '.join(outputs)})"
        )
    return value


def _last(events: list[Json], kinds: list[str]) -> list[Json]:
    """The events behind the last one of these kinds."""
    last = max((n for n, event in enumerate(events, 1) if event["type"] in kinds), default=0)
    return events[last:]


def _unfenced(text: str) -> str:
    """The text without the fence of Markdown around all of it."""
    lines = text.strip().splitlines()
    fenced = len(lines) > 2 and lines[0] in ("```", "```json") and lines[-1] == "```"
    return "\n".join(lines[1:-1]) if fenced else text


def _event(line: bytes) -> Json:
    try:
        # Not as strictly as results are read: what is taken from an event is looked at later.
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("type"), str) else None
