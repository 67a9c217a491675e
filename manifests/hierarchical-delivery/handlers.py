"""A dispatcher that hands out districts, planners that make rounds, checkers that measure them."""

import csv
import json
from pathlib import Path

from forge_cli.multiagent.turn import TurnResult


def dispatch(turn):
    """Ask for one round for each district, and put them together once all are there."""
    if not turn.answers:
        with Path(turn.inputs["parcels"]).open(encoding="utf-8", newline="") as lines:
            districts = sorted({row["district"] for row in csv.DictReader(lines)})
        asks = tuple(_ask_for_round(turn.inputs["parcels"], name) for name in districts)
        return TurnResult.yields(districts, requests=asks)
    failed = [answer["error"]["message"] for answer in turn.answers if "error" in answer]
    if failed:
        return TurnResult.failed("error", f"no round for some district: {failed[0]}")
    rounds = {
        name: answer["output"] for name, answer in zip(turn.state, turn.answers, strict=True)
    }
    return {"rounds": rounds, "longest": max(rounds, key=lambda name: rounds[name]["length"])}


def plan_round(turn):
    """From the depot always to the nearest parcel that is left; a checker must measure the same."""
    if turn.answers:
        (answer,) = turn.answers
        found = answer.get("output", {}).get("length")
        if found != turn.state["length"]:
            return TurnResult.failed("error", f"{turn.state['length']} steps, measured {found}")
        return turn.state
    district, path = json.loads(turn.inputs["instructions"])
    with Path(path).open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["district"] == district]
    stops = _nearest([(int(row["x"]), int(row["y"]), row["parcel"]) for row in rows])
    plan = {"stops": stops, "length": _length(stops)}
    check = _ask("checker", "Measure the round", [], json.dumps(stops))
    return TurnResult.yields(plan, requests=(check,))


def measure(turn):
    """The steps of a round through all stops, back to the depot."""
    return {"length": _length(json.loads(turn.inputs["instructions"]))}


def _ask_for_round(parcels, district):
    task = f"Plan the round of {district}"
    return _ask("planner", task, ["read"], json.dumps([district, parcels]))


def _ask(name, task, capabilities, instructions):
    arguments = {
        "name": name,
        "task": task,
        "capabilities": capabilities,
        "instructions": instructions,
    }
    return {"tool": "delegate_subagent", "arguments": arguments}


def _nearest(places):
    """The places in the order of a round that begins at 0, 0."""
    stops, left, here = [], sorted(places), (0, 0)
    while left:
        stop = min(left, key=lambda place: _steps(here, place))
        left.remove(stop)
        stops.append(list(stop))
        here = stop
    return stops


def _length(stops):
    way = [(0, 0), *stops, (0, 0)]
    return sum(_steps(one, other) for one, other in zip(way, way[1:], strict=False))


def _steps(one, other):
    return abs(one[0] - other[0]) + abs(one[1] - other[1])
