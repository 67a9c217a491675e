"""Handlers as the plan has them."""

from collections.abc import Callable

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Plan

Compiled = Callable[..., Plan]


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
