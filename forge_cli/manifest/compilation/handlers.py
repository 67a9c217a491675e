"""Handlers as the plan has them: configurations with every default filled, and their digests."""

import math
from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import chain
from posixpath import normpath
from typing import Any, Protocol

from forge_cli.canonical import digest, digest_of_bytes
from forge_cli.handlers.agent_settings import READ, TOOL_CALLS, WRITTEN
from forge_cli.handlers.presets import PRESETS
from forge_cli.handlers.server_settings import servers
from forge_cli.manifest.compilation.presets import call_of, expansion
from forge_cli.manifest.meaning.actions import Vocabulary
from forge_cli.manifest.meaning.limits import budget, read_duration
from forge_cli.manifest.meaning.nodes import Agent, Node, Written
from forge_cli.multiagent.budget import DIMENSIONS, Budget
from forge_cli.multiagent.plan import Handler, Json, Plan
from forge_cli.multiagent.scope import matches

BASH = ("bash", "-euo", "pipefail", "-c")
GRACE = 5_000
"""Milliseconds between TERM and KILL."""
MAX_OUTPUT = 16 * 2**20
"""Bytes that are kept of each output stream."""

PAID = frozenset({"model_calls", "cost_usd", "tokens"})
"""What a model tells of each call, so that it is unknown where it is not told."""

ONE_CALL = Budget(tool_calls=1)
"""What a turn of an MCP server's tool uses."""

_NOT_CONFIGURED = frozenset({"kind", "max_usage", "plug_in"})
"""What is written of a handler and is no part of what its turns are given."""


_PROGRAM = {"stdin": "none", "result": "text"}
"""How a program is called that a manifest names without a role."""


class Files(Protocol):
    """What lies below the manifest's folder."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file by its path from the folder, or None."""
        ...


class Handlers:
    """Makes the handlers of one plan; `files` maps the files they name to their digests.

    A program and its arguments are looked for from where programs run, the workspace, if that is
    given, and else like all other files from the manifest's folder. What the items of a plan that
    is `under_way` may write counts as it did for that plan, whatever it is by now.
    """

    def __init__(
        self, files: Files, workspace: Files | None = None, under_way: Plan | None = None
    ) -> None:
        self._files = files
        self._workspace = workspace
        self._under_way = under_way
        self._writable = () if under_way is None else tuple(_writes(under_way))
        self._digests: dict[str, str | None] = {}
        self._programs: dict[str, str | None] = {}

    @property
    def files(self) -> Mapping[str, str]:
        """Every file that some handler names, with the digest of its bytes."""
        return {name: found for name, found in sorted(self._digests.items()) if found}

    @property
    def programs(self) -> Mapping[str, str]:
        """Every file in the workspace that some argument names, with the digest of its bytes."""
        return {name: found for name, found in sorted(self._programs.items()) if found}

    def of_role(self, role: Agent, vocabulary: Vocabulary) -> Handler:
        """The handler of a role; `vocabulary` says what the capabilities of tools allow."""
        written = role.written.get("handler", {})
        kind = str(written.get("kind", ""))
        config = {key: value for key, value in written.items() if key not in _NOT_CONFIGURED}
        if kind in PRESETS:
            command, more = expansion(kind, written)
            config = {**_command(command), **more}
            return self._made("command", config, written.get("max_usage"))
        if kind == "command":
            config = _command(written)
        elif kind == "mcp":
            config |= _server(written["server"], written["tools"], vocabulary)
        elif "servers" in config:
            config["servers"] = {
                name: _server(each, each["tools"], vocabulary)
                for name, each in written["servers"].items()
            }
        elif "plug_in" in written and "grace" in config:
            config["grace"] = read_duration(config["grace"])
        return self._made(kind, config, written.get("max_usage"), written.get("plug_in", ""))

    def of_item(self, node: Node) -> Handler:
        """The handler of an item that is a `run` or a `script`."""
        written = node.written
        argv = written["run"] if "run" in written else [*BASH, written["script"]]
        result = "file" if "outputs" in written else "text"
        own = {key: written[key] for key in ("env", "secrets", "sandbox") if key in written}
        config = _command({"argv": argv, **_PROGRAM, "result": result, **own})
        if "script" in written:
            config["inputs_as_env"] = True
        return self._made("command", config, None)

    def of_undoing(self, node: Node) -> Handler | None:
        """The handler that undoes an item: the one that restores, or a program."""
        undo = node.written.get("compensate")
        if undo is None:
            return None
        if undo == "restore":
            return self._made("restore", {}, None) if node.writes else None
        own = {
            key: node.written[key] for key in ("env", "secrets", "sandbox") if key in node.written
        }
        argv = undo["run"]
        return self._made("command", _command({"argv": argv, **_PROGRAM, **own}), None)

    def named(self, kind: str, config: Mapping[str, Json]) -> dict[str, str]:
        """The files that a handler names and that are there, with the digests of their bytes."""
        files = {name: found for name in _files(kind, config) if (found := self._digest(name))}
        return files | {name: found for name in _tokens(config) if (found := self._program(name))}

    def _made(
        self, kind: str, config: dict[str, Json], max_usage: Any, plug_in: str = ""
    ) -> Handler:
        covered: dict[str, Json] = {"kind": kind, "config": config}
        files = self.named(kind, config)
        if plug_in:
            covered["plug_in"] = plug_in
        if files:
            covered["files"] = files
        if kind == "agent":
            found = digest(covered)
            return Handler(kind, config, found, _call_of_agent(config), PAID, elastic=True)
        if kind == "mcp":
            return Handler(kind, config, digest(covered), ONE_CALL, frozenset({"tool_calls"}))
        if "preset" in config:
            return Handler(kind, config, digest(covered), call_of(max_usage), PAID, elastic=True)
        usage = budget(max_usage)
        if usage is not None:
            covered["max_usage"] = usage.limits()
        metered = {*(usage.limits() if usage else ()), *config.get("extract", ())}
        known = frozenset(metered & {*DIMENSIONS})
        return Handler(kind, config, digest(covered), usage, known, plug_in)

    def _digest(self, name: str) -> str | None:
        if name not in self._digests:
            self._digests[name] = _digest_in(self._files, name)
        return self._digests[name]

    def _program(self, name: str) -> str | None:
        if self._workspace is None:
            return self._digest(name)
        if name not in self._programs:
            self._programs[name] = self._settled(name, self._workspace)
        return self._programs[name]

    def _settled(self, name: str, workspace: Files) -> str | None:
        if self._under_way is not None and matches(self._writable, normpath(name)):
            return self._under_way.programs.get(name)
        return _digest_in(workspace, name)


def _writes(plan: Plan) -> Iterator[str]:
    """What items may write, as far as it is known before they start."""
    for item in plan.items.values():
        yield from (scope for scope in item.grant.writes if "${" not in scope)


def _call_of_agent(config: Mapping[str, Json]) -> Budget:
    """What one call of an agent may use: its cost, where the manifest says what tokens cost."""
    prices, cost = config.get("prices"), None
    if prices is not None:
        # A dollar for a million tokens is a micro-dollar for one.
        each = Decimal(str(prices["input"])) * READ + Decimal(str(prices["output"])) * WRITTEN
        cost = math.ceil(each)
    return Budget(model_calls=1, cost_usd=cost, tokens=READ + WRITTEN, tool_calls=TOOL_CALLS)


def _digest_in(files: Files, name: str) -> str | None:
    data = files.read(name)
    return None if data is None else digest_of_bytes(data)


def _command(written: Written) -> dict[str, Json]:
    grace = read_duration(written.get("grace"))
    config: dict[str, Json] = {
        "argv": list(written["argv"]),
        "stdin": written.get("stdin", "json"),
        "result": written.get("result", "stdout-json"),
        "extract": dict(written.get("extract", {})),
        "exit_codes": dict(written.get("exit_codes", {})),
        "grace": GRACE if grace is None else grace,
        "max_output": written.get("max_output", MAX_OUTPUT),
        "env": dict(written.get("env", {})),
        "secrets": list(written.get("secrets", [])),
    }
    if "sandbox" in written:
        config["sandbox"] = written["sandbox"]
    return config


def _server(written: Written, tools: Any, vocabulary: Vocabulary) -> dict[str, Json]:
    """A server without its tools, and these."""
    server = {key: value for key, value in written.items() if key != "tools"}
    return {"server": server, "tools": [_tool(each, vocabulary) for each in tools]}


def _tool(written: Written, vocabulary: Vocabulary) -> dict[str, Json]:
    """A tool of a server with what its capability allows."""
    actions = vocabulary.actions(frozenset({written["capability"]}))
    return {"scope_args": [], **written, "actions": sorted(actions)}


def _files(kind: str, config: Mapping[str, Json]) -> Iterator[str]:
    """The names of files that are no part of an argument vector: of the function, of prompts."""
    if kind == "function":
        yield config["call"].rpartition(":")[0]
    if "instructions_file" in config:
        yield config["instructions_file"]


def _tokens(config: Mapping[str, Json]) -> Iterator[str]:
    """The arguments that may name files; the text of a script does not."""
    programs = [config, *(each["server"] for each in servers(config).values())]
    tokens = chain.from_iterable(each.get("argv", ()) for each in programs)
    for token in () if config.get("inputs_as_env") else tokens:
        # What is filled in later is data, and an option is no file.
        if "${" not in token and not token.startswith("-") and len(token) <= 1024:
            yield token
