"""What is wrong with a plug-in and with settings of it, found out in a process of its own.

So a plug-in that hangs, prints, or ends the interpreter when it is imported does so there.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import forge_cli
from forge_cli.handlers.environment import base
from forge_cli.handlers.installed import PlugIn, search_path

PATIENCE = 20
"""Seconds that a plug-in has to be imported and made."""

_BOOT = (
    "import sys; sys.path.append(sys.argv[1]); from forge_cli.handlers.plugin_worker import look; "
    "look(*sys.argv[2:])"
)


class Fault(NamedTuple):
    """Where settings break the plug-in's schema; `path` leads there from the settings.

    Of a key that is unknown, `known` are those that could stand there.
    """

    path: tuple[str | int, ...]
    is_key: bool
    message: str
    known: tuple[str, ...] = ()


class Examined(NamedTuple):
    """A plug-in that was looked at: its problem or nothing, its schema, the faults of settings."""

    problem: str
    schema: Any = None
    faults: tuple[tuple[Fault, ...], ...] = ()


def examine(plug_in: PlugIn, settings: Sequence[Mapping[str, Any]] = ()) -> Examined:
    """Import the plug-in elsewhere and hold each of the settings against its schema."""
    if plug_in.problem:
        return Examined(plug_in.problem)
    root = forge_cli.__path__[0].removesuffix("forge_cli")
    arguments = ["-I", "-X", "utf8", "-c", _BOOT, root, plug_in.target, json.dumps(search_path())]
    try:
        ended = subprocess.run(
            [sys.executable, *arguments],
            input=json.dumps(list(settings)).encode(),
            capture_output=True,
            timeout=PATIENCE,
            env=base(os.environ, {}),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Examined(f"it is not imported within {PATIENCE} s")
    try:
        answer = json.loads(ended.stdout)
        faults = tuple(tuple(map(_fault, each)) for each in answer.get("faults", ()))
        return Examined(answer["problem"], answer.get("schema"), faults)
    except (ValueError, KeyError, TypeError, AttributeError):
        return Examined(f"importing it ends the interpreter: {_last_words(ended)}")


def _fault(words: Sequence[Any]) -> Fault:
    path, is_key, message, known = words
    return Fault(tuple(path), is_key, message, tuple(known))


def _last_words(ended: "subprocess.CompletedProcess[bytes]") -> str:
    code = ended.returncode
    status = f"signal {-code}" if code < 0 else f"exit status {code}"
    said = ended.stderr.decode(errors="replace").strip().splitlines()
    return f"{status}; {said[-1][:200]}" if said else status
