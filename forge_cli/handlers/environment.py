"""The environment of handlers: built from an allow-list, never the caller's."""

import json
import os
from collections.abc import Mapping

from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import Turn

ALLOWED = ("HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "TZ", "USER")
"""What passes from the caller: who runs it, where programs are, language and time zone.

`HOME` is among them because git and most tools do not start without it; what lies there is for a
sandbox to hide. Proxies, tokens, agents' sockets and loader variables do not pass: a manifest
that needs one says so under `env` or `secrets`.
"""


class VariablesError(Exception):
    """The environment cannot be built; the text is a sentence for the attempt's failure."""


def base(caller: Mapping[str, str], config: Mapping[str, Json]) -> dict[str, str]:
    """The allowed variables, `CI=1`, and the handler's own `env` and `secrets`.

    Raises `VariablesError` for a secret that the caller has not set.
    """
    environment = {name: caller[name] for name in ALLOWED if name in caller}
    environment.setdefault("PATH", os.defpath)
    environment["CI"] = "1"
    environment |= {name: as_text(value) for name, value in (config.get("env") or {}).items()}
    for name in config.get("secrets") or ():
        if name not in caller:
            raise VariablesError(f"secret {name!r} is not set; export it and run again")
        environment[name] = caller[name]
    return environment


def of_turn(turn: Turn) -> dict[str, str]:
    """Who is called: run, item, attempt, and the key under which an effect is made once."""
    return {
        "FORGE_RUN": turn.run_id,
        "FORGE_ITEM": turn.item_id,
        "FORGE_ATTEMPT": turn.attempt_id,
        "FORGE_KEY": turn.key,
    }


def of_inputs(inputs: Mapping[str, Json]) -> dict[str, str]:
    """`INPUT_<NAME>` for each: texts as they are, everything else as JSON.

    Raises `VariablesError` where two names become one variable.
    """
    names: dict[str, str] = {}
    for name in inputs:
        variable = "INPUT_" + name.upper().replace("-", "_")
        if variable in names:
            raise VariablesError(
                f"inputs {names[variable]!r} and {name!r} are both {variable}; rename one"
            )
        names[variable] = name
    return {variable: as_text(inputs[name]) for variable, name in names.items()}


def as_text(value: Json) -> str:
    """A text as it is, any other value as compact JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
