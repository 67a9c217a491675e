"""How two handlers differ in what they call, and what each holds: secrets, tools, a sandbox."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from forge_cli.handlers.server_settings import servers, started
from forge_cli.manifest.comparison.changes import Direction, Verdict, Weight
from forge_cli.manifest.comparison.judges import apart, named
from forge_cli.manifest.compilation.presets import EXPANDED
from forge_cli.multiagent.budget import DIMENSIONS, Budget
from forge_cli.multiagent.plan import Handler, Json

MAX_TURNS = 50
"""Turns of an agent where its handler does not say it."""

STRONGEST = "the strongest that works"
"""The sandbox of a handler that asks for none."""

_WEAKEST_FIRST = ("off", "landlock", "namespace")


@dataclass(frozen=True, slots=True)
class Program:
    """A handler as compiled, and the files that it names with the digests of their bytes."""

    handler: Handler
    files: Mapping[str, str]

    @property
    def secrets(self) -> frozenset[str]:
        """The secrets that it is given, itself or the server that it starts."""
        config = self.handler.config
        held = [config, *(each["server"] for each in servers(config).values())]
        return frozenset(chain.from_iterable(each.get("secrets", ()) for each in held))

    @property
    def tools(self) -> frozenset[str] | None:
        """The tools of a model, None for all that it may use; or those behind a server's words."""
        handler = self.handler
        tools = handler.config.get("tools", None if handler.kind == "agent" else ())
        if handler.kind == "mcp":
            return frozenset(map(_held_to, tools))
        return None if tools is None else frozenset(tools)

    @property
    def sandbox(self) -> str:
        """The weakest sandbox that holds it, or a server that it starts."""
        config = self.handler.config
        held = [config, *started(config)]
        levels = {str(each.get("sandbox", STRONGEST)) for each in held}
        return next(level for level in (*_WEAKEST_FIRST, STRONGEST) if level in levels)


def program(old: Program, new: Program) -> Verdict | None:
    """One verdict for all that is called otherwise: breaking where one call may use more.

    What the two are given and held by is not part of it: secrets, tools, sandbox.
    """
    ours, theirs = _keys(old.handler), _keys(new.handler)
    keys = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
    names = {**old.files, **new.files}
    files = [name for name in names if old.files.get(name) != new.files.get(name)]
    if not keys and not files:
        return None
    told = [*_more_usage(old.handler, new.handler), *_more_tools(old.handler, new.handler)]
    weight: Weight = "breaking" if told else "behavioural"
    direction: Direction = "widened" if told else "changed"
    told += [f"other bytes in {named(files)}"] * bool(files)
    texts = apart(_only(ours, keys), _only(theirs, keys)) if keys else ("", "")
    return Verdict(weight, direction, *texts, "; ".join(told))


def _keys(handler: Handler) -> dict[str, Json]:
    """The configuration with what it leaves to the language filled in, so that both read alike."""
    config = {"kind": handler.kind, **handler.config}
    for key in ("secrets", "tools", "sandbox"):
        config.pop(key, None)
    if "server" in config:
        config["server"] = _as_called(config["server"])
    elif "servers" in config:
        config["servers"] = {
            name: {**each, "server": _as_called(each["server"])}
            for name, each in servers(config).items()
        }
    if handler.kind == "agent":
        config.setdefault("max_turns", MAX_TURNS)
    for key in EXPANDED if "preset" in config else ():
        config.pop(key, None)
    for key in ("env", "extract", "exit_codes"):
        if not config.get(key):
            config.pop(key, None)
    if handler.max_usage and handler.max_usage.limits() and not handler.elastic:
        config["max_usage"] = handler.max_usage.limits()
    return config


def _as_called(server: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in server.items() if key not in ("secrets", "sandbox")}


def _held_to(tool: Mapping[str, Json]) -> str:
    """A tool of a server, the capability that it takes, and what of it is held to the scope."""
    checked = ", ".join(tool.get("scope_args", ()))
    return f"{tool['capability']}: {tool['tool']}" + (f" ({checked} in scope)" if checked else "")


def _only(keys: Mapping[str, Json], wanted: list[str]) -> dict[str, Json]:
    return {key: keys[key] for key in wanted if key in keys}


def _more_usage(old: Handler, new: Handler) -> Iterator[str]:
    if more := [d for d in DIMENSIONS if _usage(new, d) > _usage(old, d)]:
        yield f"may use more {named(more)} in one call"


def _more_tools(old: Handler, new: Handler) -> Iterator[str]:
    """The tools of an agent's servers that only the new one may call, or may call with more."""
    if new.kind == "agent":
        before, after = (
            {
                f"{name}/{_held_to(t)}"
                for name, each in servers(h.config).items()
                for t in each["tools"]
            }
            for h in (old, new)
        )
        if more := sorted(after - before):
            yield f"may call {named(more)}"


def _usage(handler: Handler, dimension: str) -> int:
    return (handler.max_usage or Budget()).limits().get(dimension, 0)
