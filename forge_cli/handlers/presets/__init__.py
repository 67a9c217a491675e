"""Presets of command-line agents: data that expand to the handler kind `command`.

Each is a file beside this one, written from the program's own `--help` and from what it prints.
`argv` is how it is called whatever it may do, `variables` what its environment holds beside what
its handler says; a table is JSON there. Each of `options` adds its own `argv` and `variables` where
all that it names under `when` is so and nothing under `unless` is: an action that the item grants
(see `FACTS` for the rest). `{name}` stands for the value of such a fact. `extract` is read over the
list of the events that the program prints (see `event_stream`), `doing` over each as it comes.
"""

import json
import os
from collections.abc import Iterator, Mapping

from forge_cli.multiagent.terms import Json

PRESETS = ("claude-code", "codex", "gemini-cli", "opencode", "qwen-code")

FACTS = ("model", "schema", "schema_file", "folder", "model_calls", "cost_usd")
"""What an option may depend on beside actions.

The model that the handler names, the JSON Schema that the result must fit, the file that it is in
where every property of its objects is required and no other allowed, a folder of the turn's own,
and what the turn may use of model calls and US dollars, where that is limited.
"""


def preset(name: str) -> dict[str, Json]:
    """The preset as it is written."""
    import tomllib

    with open(os.path.join(os.path.dirname(__file__), f"{name}.toml"), "rb") as file:
        return tomllib.load(file)


def arguments(config: Mapping[str, Json], facts: Mapping[str, str]) -> list[str]:
    """The argument vector where these facts hold; an action's value is of no matter."""
    return [_filled(token, facts) for part in _parts(config, facts) for token in part["argv"]]


def variables(config: Mapping[str, Json], facts: Mapping[str, str]) -> dict[str, str]:
    """The variables of the program where these facts hold."""
    found: dict[str, Json] = {}
    for part in _parts(config, facts):
        for name, value in part.get("variables", {}).items():
            is_text = isinstance(value, str)
            found[name] = _filled(value, facts) if is_text else found.get(name, {}) | value
    return {
        name: value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
        for name, value in found.items()
    }


def _parts(config: Mapping[str, Json], facts: Mapping[str, str]) -> Iterator[Mapping[str, Json]]:
    """What holds always, and each option that does."""
    yield config
    for option in config["options"]:
        if facts.keys() >= {*option["when"]} and not facts.keys() & {*option.get("unless", ())}:
            yield {"argv": (), **option}


def _filled(token: str, facts: Mapping[str, str]) -> str:
    name = token[1:-1] if token.startswith("{") and token.endswith("}") else ""
    return facts.get(name, token)
