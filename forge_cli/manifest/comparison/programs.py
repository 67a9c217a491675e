"""How two handlers differ: what they call, and what they hold of secrets, tools and usage."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from forge_cli.manifest.comparison.changes import Verdict, Weight
from forge_cli.manifest.comparison.judges import apart, named
from forge_cli.manifest.compilation.handlers import GRACE, MAX_OUTPUT
from forge_cli.manifest.meaning.limits import read_duration
from forge_cli.multiagent.budget import DIMENSIONS, Budget
from forge_cli.multiagent.plan import Handler, Json

MAX_TURNS = 50
"""Turns of an agent where its handler does not say it."""


@dataclass(frozen=True, slots=True)
class Program:
    """A handler as compiled, and the files that it names with the digests of their bytes."""

    handler: Handler
    files: Mapping[str, str]


def program(old: Program, new: Program) -> Verdict | None:
    """One verdict for all that differs: breaking where the handler holds more than it did."""
    ours, theirs = _keys(old.handler), _keys(new.handler)
    keys = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
    names = {**old.files, **new.files}
    files = [name for name in names if old.files.get(name) != new.files.get(name)]
    if not keys and not files:
        return None
    gains = list(_gains(old.handler, new.handler))
    told = [*gains, *([f"other bytes in {named(files)}"] if files else [])]
    weight: Weight = "breaking" if gains else "behavioural"
    texts = apart(_only(ours, keys), _only(theirs, keys)) if keys else ("", "")
    return Verdict(weight, "widened" if gains else "changed", *texts, "; ".join(told))


def _keys(handler: Handler) -> dict[str, Json]:
    """The configuration with what it leaves to the language filled in, so that both read alike."""
    config = {"kind": handler.kind, **handler.config}
    if config.get("sandbox") == "off":
        del config["sandbox"]
    if handler.kind == "agent":
        config.setdefault("max_turns", MAX_TURNS)
    elif handler.kind in ("claude-code", "codex"):
        grace = read_duration(config.get("grace"))
        config["grace"] = GRACE if grace is None else grace
        config.setdefault("max_output", MAX_OUTPUT)
    for key in ("env", "secrets", "extract", "exit_codes"):
        if not config.get(key):
            config.pop(key, None)
    if "secrets" in config:
        config["secrets"] = sorted({*config["secrets"]})
    if handler.max_usage and handler.max_usage.limits():
        config["max_usage"] = handler.max_usage.limits()
    return config


def _only(keys: Mapping[str, Json], wanted: list[str]) -> dict[str, Json]:
    return {key: keys[key] for key in wanted if key in keys}


def _gains(old: Handler, new: Handler) -> Iterator[str]:
    """What the new one may hold or do and the old one may not, each a clause."""
    if secrets := _secrets(new.config) - _secrets(old.config):
        yield f"is given the secrets {named(secrets)}"
    ours, theirs = _tools(old), _tools(new)
    if theirs is None and ours is not None:
        yield "is given every tool that it may use"
    elif theirs and ours is not None and (tools := theirs - ours):
        yield f"is given the tools {named(tools)}"
    if _unconfined(old.config.get("sandbox"), new.config.get("sandbox")):
        yield "is no longer held by the sandbox that it was held by"
    if more := [d for d in DIMENSIONS if _usage(new, d) > _usage(old, d)]:
        yield f"may use more {named(more)} in one call"


def _unconfined(old: Json, new: Json) -> bool:
    """Whether there was a sandbox, and now there is none or another one."""
    return old not in (None, "off") and old != new


def _secrets(config: Mapping[str, Any]) -> frozenset[str]:
    return frozenset([*config.get("secrets", ()), *config.get("server", {}).get("secrets", ())])


def _tools(handler: Handler) -> frozenset[str] | None:
    """The tools of a model, None for all that it may use; or those behind a server's words."""
    tools = handler.config.get("tools", None if handler.kind == "agent" else ())
    if isinstance(tools, Mapping):
        return frozenset(f"{word}: {tool}" for word, several in tools.items() for tool in several)
    return None if tools is None else frozenset(tools)


def _usage(handler: Handler, dimension: str) -> int:
    return (handler.max_usage or Budget()).limits().get(dimension, 0)
