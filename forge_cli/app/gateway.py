"""`forge gateway`: the tools of one item's contract, for an agent that forge did not start."""

import asyncio
import os
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from forge_cli.app.inputs import bind, read_file, read_pairs
from forge_cli.app.own import EVIDENCE, own_below
from forge_cli.app.plan import Compiled
from forge_cli.app.preparation import RefusedError, Wishes, missing, redactor_of
from forge_cli.app.sandbox import named_files, reached
from forge_cli.app.servers import absent
from forge_cli.app.workspace import workspace_of
from forge_cli.errors import ForgeError
from forge_cli.handlers.context import HandlerContext
from forge_cli.handlers.server_settings import servers
from forge_cli.ledger import durable, runs
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Handler, Item, Json, Plan, Role
from forge_cli.multiagent.templates import Lookup, Reference, fill, fill_settings, to_text
from forge_cli.multiagent.times import to_text as time_text

Record = Callable[[str, Mapping[str, Json]], None]
"""Is told what happened: its kind, and what is to be said of it."""

FOLDER = "gateway"
"""Below `.forge` of the workspace: a journal for each time that a gateway was open."""


class Journal:
    """What happened at one gateway, as event lines that are durable once they are written."""

    def __init__(self, path: Path, item: str) -> None:
        self.path = path
        self._item = item
        self._seq, self._prev = 0, GENESIS

    def write(self, kind: str, body: Mapping[str, Json]) -> None:
        """Append an event; `ForgeError` if that cannot be done."""
        event = Event(_now(), kind, self._item, body=dict(body))
        (line,) = seal([event], self._seq + 1, self._prev)
        try:
            with self.path.open("ab") as file:
                file.write(f"{line.text}\n".encode())
                file.flush()
                os.fsync(file.fileno())
        except OSError as fault:
            raise durable.unwritable(self.path, fault) from fault
        self._seq, self._prev = line.seq, line.digest


@dataclass(frozen=True, slots=True)
class Gateway:
    """A gateway that may open; `tool_calls` and `until` are the least of every link of its chain.

    `until` is in milliseconds since the epoch. `servers` are configurations as those of `mcp`
    handlers, by the label under which calls are recorded; neither they nor `purpose` have
    references left. `sandbox` is what is said of that in which servers are.
    """

    plan: Plan
    item: Item
    role: Role
    servers: Mapping[str, Mapping[str, Json]]
    purpose: str
    tool_calls: int | None
    until: int
    context: HandlerContext
    sandbox: str
    journal: Journal


def open_gateway(
    found: Compiled, plan: Plan, name: str, manifest: Path, wishes: Wishes, env: Mapping[str, str]
) -> Gateway:
    """The gateway to the tools of that item. Nothing is started and nothing written yet.

    Raises `RefusedError` for what is missing here, `ForgeError` for an item that has no gateway.
    """
    item, role = _served(plan, name)
    workspace = workspace_of(manifest, wishes.workspace)
    told = (*found.report.findings, *(finding for finding, _ in found.report.ignored))
    late = [finding.message for finding in told if finding.rule == "deadline-past"]
    alone = _alone(plan, role)
    held = reached(alone, env)
    if reasons := [*late, *missing(alone, workspace, env), *absent(), *held.reasons]:
        raise RefusedError(reasons)
    file = None if wishes.inputs_file is None else read_file(wishes.inputs_file)
    redactor = redactor_of(plan, {each: env[each] for each in plan.secrets if env.get(each)})
    inputs = redactor.redact_values(bind(plan, read_pairs(wishes.given, plan.inputs), file))
    variables = redactor.redact_values({each: env[each] for each in plan.env if each in env})
    look_up = _known(inputs, variables)
    try:
        named = _servers(role, look_up)
        purpose = to_text(fill(item.goal, look_up))
    except ValueError as error:
        raise ForgeError(f"item '{name}' has no gateway: {error}") from None
    now = _now()
    home = workspace / runs.FOLDER / FOLDER
    began = time_text(now)[:19].replace("-", "").replace(":", "").replace("T", "-")
    session = f"{began}-{secrets.token_hex(2)}"
    manifest = manifest.resolve()
    own = own_below(workspace, manifest, plan, workspace / EVIDENCE)
    kept = ArtifactFolder(home / "artifacts")
    context = HandlerContext(
        workspace,
        manifest.parent,
        kept,
        redactor,
        env,
        own=own,
        programs=named_files(plan),
        sandbox=held.sandbox,
    )
    return Gateway(
        plan,
        item,
        role,
        named,
        purpose,
        _tool_calls(plan, item, role),
        _until(plan, item, now),
        context,
        held.text,
        Journal(home / f"{session}.jsonl", name),
    )


def serve(gateway: Gateway, source: int, target: int, observer: Record) -> None:
    """Serve MCP on the two descriptors until `source` ends; `observer` is told what is journalled.

    `ForgeError` if the journal cannot be written, or a server of the contract cannot be had.
    """
    home = gateway.context.workspace / runs.FOLDER
    durable.make_folder(home / FOLDER)
    runs.keep_out_of_git(home)
    try:
        asyncio.run(_serve(gateway, source, target, observer))
    finally:
        gateway.context.processes.close()


async def _serve(gateway: Gateway, source: int, target: int, observer: Record) -> None:
    from forge_cli.gateway.files import GrantedFiles
    from forge_cli.gateway.tool_server import ServerError
    from forge_cli.gateway.tool_service import serve
    from forge_cli.handlers.environment import VariablesError
    from forge_cli.handlers.mcp_servers import Doors
    from forge_cli.handlers.program import StartError
    from forge_cli.handlers.served import Bounds, ServedTools

    context, grant = gateway.context, gateway.item.grant

    unkept: asyncio.Future[ForgeError] = asyncio.get_running_loop().create_future()

    def record(kind: str, body: Mapping[str, Json]) -> None:
        body = context.redactor.redact_json(dict(body))
        try:
            gateway.journal.write(kind, body)
        except ForgeError as fault:
            if not unkept.done():
                unkept.set_result(fault)
            raise
        observer(kind, body)

    async with AsyncExitStack() as stack:
        try:
            doors, only = Doors(context), "server" in gateway.role.handler.config
            proxies = [
                await stack.enter_async_context(
                    doors.open(label, config, grant, "" if only else label)
                )
                for label, config in gateway.servers.items()
            ]
        except (ServerError, StartError, VariablesError) as error:
            raise ForgeError(f"item '{gateway.item.item_id}' has no gateway: {error}") from None
        bounds = Bounds(gateway.tool_calls, time.monotonic() + (gateway.until - _now()) / 1000)
        files = GrantedFiles(context.workspace, grant)
        tools = ServedTools(proxies, files, grant, bounds, record, context.redactor)
        record("gateway_opened", _opening(gateway, tools.names))
        try:
            server = tools.server("forge", gateway.purpose)
            await _until_done_or(unkept, serve(server, source, target))
        finally:
            if not unkept.done():
                record("gateway_closed", {"calls": tools.made, "paid": tools.paid})


async def _until_done_or(unkept: asyncio.Future[ForgeError], served: Awaitable[None]) -> None:
    """Serve until that ends, or something could not be kept: then raise why.

    What is raised while a request is answered goes to whoever made it, and no further.
    """
    serving = asyncio.ensure_future(served)
    waited: set[asyncio.Future[Any]] = {serving, unkept}
    try:
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)
    if unkept.done():
        raise unkept.result()
    serving.result()


def _opening(gateway: Gateway, tools: list[str]) -> dict[str, Json]:
    grant = gateway.item.grant
    return {
        "plan": gateway.plan.digest,
        "role": f"{gateway.role.role_id}@{gateway.role.version}",
        "capabilities": sorted(grant.capabilities),
        "scope": list(grant.scope),
        "writes": list(grant.writes),
        "tools": tools,
        "tool_calls": gateway.tool_calls,
        "until": time_text(gateway.until),
        "sandbox": gateway.sandbox,
    }


def _served(plan: Plan, name: str) -> tuple[Item, Role]:
    item = plan.items.get(name)
    if item is None:
        known = ", ".join(f"'{each}'" for each in plan.items)
        raise ForgeError(f"'{plan.name}' has no item '{name}'; it has {known}")
    fault = ""
    if item.pattern == "each":
        fault = "its elements come into being in a run; write an item for one"
    elif item.pattern != "turn":
        fault = "its parts are what is done; name one of them"
    elif item.approval:
        fault = "it needs an approval, which only a run asks for"
    if fault:
        raise ForgeError(f"item '{name}' has no gateway: {fault}")
    return item, plan.roles[item.role_id]


def _alone(plan: Plan, role: Role) -> Plan:
    """Of the plan what must be here: the server of the role, if it has one, and its secrets."""
    config = {"servers": servers(role.handler.config)}
    named = [each["server"].get("secrets", ()) for each in config["servers"].values()]
    alone = replace(role, handler=Handler("agent", config))
    return Plan(
        plan.name, plan.version, {}, {role.role_id: alone}, {}, secrets=tuple(chain(*named))
    )


def _known(inputs: Mapping[str, Json], env: Mapping[str, str]) -> Lookup:
    values: dict[str, Mapping[str, Json]] = {"inputs": inputs, "env": env}

    def look_up(reference: Reference) -> Json:
        if reference.name not in values.get(reference.root, {}):
            raise ValueError(f"{reference.text} has a value in a run only")
        return values[reference.root][reference.name]

    return look_up


def _servers(role: Role, look_up: Lookup) -> dict[str, Mapping[str, Json]]:
    """The servers of the role, by their names; one that has none has the role's."""
    filled = servers(fill_settings(role.handler.config, look_up))
    return {name or role.role_id: each for name, each in filled.items()}


def _tool_calls(plan: Plan, item: Item, role: Role) -> int | None:
    links = [plan.contracts[name].budget for name in item.chain]
    budgets = [plan.budget, role.budget, item.budget, *links]
    limits = [b.tool_calls for b in budgets if b is not None and b.tool_calls is not None]
    return min(limits, default=None)


def _until(plan: Plan, item: Item, now: int) -> int:
    links = [plan.contracts[name].deadline for name in item.chain]
    deadlines = [each for each in (plan.deadline, item.deadline, *links) if each is not None]
    return min(now + item.timeout, *(each.resolve(now) for each in deadlines))


def _now() -> int:
    return time.time_ns() // 1_000_000
