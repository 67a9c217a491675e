"""The tools of MCP servers as roles declare them, and which of them a capability allows."""

from collections.abc import Iterator
from typing import NamedTuple

from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.actions import Vocabulary
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.nodes import Agent
from forge_cli.multiagent.grants import allows_tool


class Tool(NamedTuple):
    """A declared tool, where it is written, and of which server; empty for a role's only one."""

    path: Path
    name: str
    capability: str
    server: str


def tools(role: Agent) -> Iterator[Tool]:
    """Every tool that the role's handler declares."""
    handler = section(role.written, "handler")
    path = (*role.path, "handler")
    servers = [((*path, "servers", n), n, s) for n, s in section(handler, "servers").items()]
    if handler.get("kind") == "mcp":
        servers = [(path, "", handler)]
    for place, server, written in servers:
        for index, tool in enumerate(written.get("tools", ())):
            if "tool" in tool and "capability" in tool:
                yield Tool((*place, "tools", index), tool["tool"], tool["capability"], server)


def allows(vocabulary: Vocabulary, tool: Tool) -> bool:
    """Whether the tool's capability allows it: by its name, or by what it does."""
    actions = vocabulary.actions(frozenset({tool.capability}))
    return allows_tool(actions, tool.name, tool.server)
