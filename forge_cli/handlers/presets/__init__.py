"""Presets of command-line agents: data that expand to the handler kind `command`.

Each is a file beside this one, written from the program's own `--help` and from what it prints.
`argv` is how it is called whatever it may do. Each of `options` adds its own `argv` where all that
it names under `when` is so and nothing under `unless` is: an action that the item grants (see
`FACTS` for the rest). In it `{name}` stands for the value of such a fact. `extract` is read over
the list of the events that the program prints (see `event_stream`), `doing` over each as it comes.
"""

import os
from collections.abc import Mapping

from forge_cli.multiagent.terms import Json

PRESETS = ("claude-code", "codex", "gemini-cli", "qwen-code")

FACTS = ("model", "schema", "schema_file", "model_calls", "cost_usd")
"""What an option may depend on beside actions.

The model that the handler names, the JSON Schema that the result must fit, the file that it is in
where every property of its objects is required and no other allowed, and what the turn may use of
model calls and US dollars, where that is limited.
"""


def preset(name: str) -> dict[str, Json]:
    """The preset as it is written."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), f"{name}.toml"), "rb") as file:
        return tomllib.load(file)


def arguments(config: Mapping[str, Json], facts: Mapping[str, str]) -> list[str]:
    """The argument vector where these facts hold; an action's value is of no matter."""
    argv = list(config["argv"])
    for option in config["options"]:
        if facts.keys() >= {*option["when"]} and not facts.keys() & {*option.get("unless", ())}:
            argv += [_filled(token, facts) for token in option["argv"]]
    return argv


def _filled(token: str, facts: Mapping[str, str]) -> str:
    name = token[1:-1] if token.startswith("{") and token.endswith("}") else ""
    return facts.get(name, token)
