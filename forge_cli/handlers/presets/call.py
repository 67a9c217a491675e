"""How a preset's program is called in one turn."""

from pathlib import Path
from typing import NamedTuple

from forge_cli.handlers.presets import arguments, variables
from forge_cli.handlers.presets.facts import SCHEMA_FILE, facts_of
from forge_cli.handlers.program import StartError
from forge_cli.multiagent.turn import Turn


class Asked(NamedTuple):
    """How the program of a turn is called: its arguments, and variables of its environment."""

    argv: list[str]
    variables: dict[str, str]


def asked(turn: Turn, folder: Path) -> Asked:
    """The call of a turn; what the program reads as a file is written to `folder`.

    Raises `StartError` for a model that would be read as an option.
    """
    budget: dict[str, str] = {name: str(amount) for name, amount in turn.budget.items()}
    if "cost_usd" in budget:
        budget["cost_usd"] = f"{turn.budget['cost_usd'] / 1_000_000:.6f}"
    facts = facts_of(turn.handler, turn.grant, turn.completion) | budget
    facts["folder"] = str(folder)
    if facts.get("model", "").startswith("-"):
        raise StartError(f"the model {facts['model'][:40]!r} begins with '-'; name a model")
    if "schema_file" in facts:
        path = folder / SCHEMA_FILE
        path.write_text(facts["schema"], encoding="utf-8")
        facts["schema_file"] = str(path)
    return Asked(arguments(turn.handler, facts), variables(turn.handler, facts))
