"""A planner that inserts a step for each file, migrators that move one each, and a checker."""

import configparser
import json
from pathlib import Path

from forge_cli.multiagent.turn import TurnResult


def split(turn):
    """Insert one step for each file that is still INI; each may touch its own file only."""
    if turn.answers:
        (answer,) = turn.answers
        if "error" in answer:
            return TurnResult.failed("error", answer["error"]["message"])
        return {"files": turn.state}
    files = sorted(path.as_posix() for path in Path(turn.inputs["folder"]).glob("*.ini"))
    if not files:
        return TurnResult.failed("error", "there is nothing to move: all settings are JSON")
    steps = [_step(file) for file in files]
    request = {"tool": "decompose_task", "arguments": {"steps": steps}}
    return TurnResult.yields(files, requests=(request,))


def move(turn):
    """Write the same settings as JSON beside the file, and remove it; once, however often called."""
    old = Path(turn.inputs["file"])
    new = old.with_suffix(".json")
    if old.exists():
        parser = configparser.ConfigParser()
        parser.read_string(old.read_text("utf-8"))
        settings = {name: dict(parser[name]) for name in parser.sections()}
        new.write_text(json.dumps(settings, indent=2, sort_keys=True) + "\n", "utf-8")
        old.unlink()
    settings = json.loads(new.read_text("utf-8"))
    return {"file": new.as_posix(), "values": sum(map(len, settings.values()))}


def check(turn):
    """The ports of all services, read from what is there now."""
    folder = Path(turn.inputs["folder"])
    left = [path.name for path in folder.glob("*.ini")]
    if left:
        return TurnResult.failed("error", f"{left[0]!r} was not moved")
    found = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}
    return {"services": {name: int(found[name]["server"]["port"]) for name in sorted(found)}}


def _step(file):
    return {
        "goal": f"Move {file}",
        "role": "migrator",
        "capabilities": ["write"],
        "scope": [f"files:{Path(file).with_suffix('').as_posix()}.*"],
        "with": {"file": file},
    }
