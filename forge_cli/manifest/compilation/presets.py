"""Presets of command-line agents as the plan has them: commands, with all that they stand for."""

from dataclasses import replace
from typing import Any

from forge_cli.handlers.presets import preset
from forge_cli.manifest.meaning.limits import budget
from forge_cli.manifest.meaning.nodes import Written
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Json

ALL = 2**53 - 1
"""More than is ever left: of a dimension that nothing limits in one call, all that is left."""

EXPANDED = (
    "argv",
    "variables",
    "options",
    "stdin",
    "result",
    "extract",
    "exit_codes",
    "text_after",
    "doing",
)
"""What follows from a preset's name alone."""


def expansion(kind: str, written: Written) -> tuple[Written, dict[str, Json]]:
    """The command that a preset stands for, as if it were written, and what it has beside that."""
    data = preset(kind)
    command = {key: value for key, value in written.items() if key not in ("kind", "model")}
    command |= {"stdin": "prompt", "result": "events"}
    command |= {key: data[key] for key in ("argv", "extract", "exit_codes") if key in data}
    more = {"preset": kind}
    beside = ("variables", "options", "text_after", "doing")
    more |= {key: data[key] for key in beside if key in data}
    more |= {key: written[key] for key in ("model", "max_usage") if key in written}
    return command, more


def call_of(max_usage: Any) -> Budget:
    """What one call may use: nobody knows before how many requests the program makes."""
    most = Budget(model_calls=ALL, cost_usd=ALL, tokens=ALL)
    given = budget(max_usage)
    return most if given is None else replace(most, **given.limits())
