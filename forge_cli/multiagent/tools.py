"""Tools that change something: each call is a turn of its own, asked for by a turn of an item."""

from collections.abc import Mapping

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.narrowing import RefusedError
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Handler, Json, Role

ACTIONS: Mapping[str, str] = {
    "write_file": "file-write",
    "edit_file": "file-write",
    "run_command": "process",
}
"""What the grant of who asks must hold, for each tool."""

SHOWN = 80
"""Characters of a tool's name that are told: whoever asks for it may have made it up."""

ROLE = Role(
    "forge:tool",
    1,
    frozenset(),
    ("result",),
    (),
    Handler("tool", {}, max_usage=Budget(tool_calls=1), metered=frozenset({"tool_calls"})),
)
"""Who makes the calls: no role of a manifest, whose ids have no colon."""


def call(
    asker: Node, handler: Handler, tool: str, arguments: Mapping[str, Json]
) -> dict[str, Json]:
    """What the event that admits a call says of it; `RefusedError` for one beyond the grant.

    Where and what it may touch is the asker's own grant; its inputs are `tool` and `arguments`.
    `handler` is that of the asker's role: a tool of one of an agent's servers, `<server>/<tool>`,
    is admitted, and then held against the grant at the one door to that server.
    """
    grant, risk = asker.grant, asker.item.risk
    if _is_served(handler, tool):
        # What a server changes nobody can look up, so a call is never made again unasked.
        risk = "reversible" if risk == "read_only" else risk
    elif tool not in ACTIONS:
        raise RefusedError("unknown-tool", f"unknown tool {shown(tool)!r}")
    elif ACTIONS[tool] not in grant.actions:
        raise RefusedError("denied", f"{tool} is denied: it needs {ACTIONS[tool]}, not granted")
    return {
        "role": f"{ROLE.role_id}@{ROLE.version}",
        "depth": 0,
        "capabilities": sorted(grant.capabilities),
        "actions": sorted(grant.actions),
        "scope": list(grant.scope),
        "writes": list(grant.writes),
        "outputs": list(ROLE.outputs),
        "risk": risk,
        "timeout": asker.item.timeout,
        "task": tool,
        "arguments": dict(arguments),
    }


def server_and_name(tool: str) -> tuple[str, str]:
    """The server whose tool this is, and what that calls it; a tool of forge is of no server."""
    server, slash, name = tool.partition("/")
    return (server, name) if slash else ("", tool)


def shown(tool: str) -> str:
    """As much of a tool's name as is told."""
    return tool[:SHOWN]


def _is_served(handler: Handler, tool: str) -> bool:
    server, name = server_and_name(tool)
    servers = handler.config.get("servers", {}) if handler.kind == "agent" else {}
    return server in servers and any(each["tool"] == name for each in servers[server]["tools"])
