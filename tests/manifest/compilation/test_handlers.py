"""Handlers as the plan has them."""

from collections.abc import Callable
from pathlib import Path

from forge_cli.canonical import digest_of_bytes
from forge_cli.manifest.compilation.handlers import Handlers
from forge_cli.manifest.files import Files
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Plan

Compiled = Callable[..., Plan]


def test_servers_of_an_agent_are_like_those_of_a_handler_of_their_own(
    compiled: Compiled,
) -> None:
    plan = compiled(
        """
roles:
  reader:
    capabilities: [read]
    handler:
      kind: agent
      base_url: http://127.0.0.1:8080/v1
      servers: {logs: {argv: [logs-mcp], tools: [{tool: query, capability: read}]}}
work_items: {one: {role: reader}}
"""
    )
    tool = {"tool": "query", "capability": "read", "scope_args": [], "actions": ["file-read"]}
    expected = {"logs": {"server": {"argv": ["logs-mcp"]}, "tools": [tool]}}
    assert plan.roles["reader"].handler.config["servers"] == expected


def test_a_program_of_a_server_is_covered_by_the_handlers_digest(tmp_path: Path) -> None:
    config = {"servers": {"logs": {"server": {"argv": ["python3", "logs.py"]}, "tools": []}}}
    (tmp_path / "logs.py").write_text("print()", "utf-8")
    named = Handlers(Files(str(tmp_path))).named("agent", config)
    assert named == {"logs.py": digest_of_bytes(b"print()")}


def test_a_tool_of_a_server_says_what_its_capability_allows(compiled: Compiled) -> None:
    plan = compiled(
        """
capabilities: {look: ["tool:logs/query"]}
roles:
  reader:
    capabilities: [look]
    handler:
      kind: mcp
      server: {argv: [logs-mcp]}
      tools: [{tool: query, capability: look}, {tool: put, capability: write, scope_args: [to]}]
work_items: {one: {role: reader}}
"""
    )
    handler = plan.roles["reader"].handler
    assert handler.config["tools"] == [
        {"tool": "query", "capability": "look", "scope_args": [], "actions": ["tool:logs/query"]},
        {
            "tool": "put",
            "capability": "write",
            "scope_args": ["to"],
            "actions": ["file-read", "file-write"],
        },
    ]
    assert (handler.max_usage, handler.metered) == (
        Budget(tool_calls=1),
        frozenset({"tool_calls"}),
    )
