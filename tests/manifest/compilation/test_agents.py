"""Agents in a plan: what a call of theirs may use, and which of their tools can be run."""

from collections.abc import Callable

from forge_cli.manifest.compilation.unsupported import unsupported
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.reading.source import parse
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Plan

Compiled = Callable[..., Plan]

AGENT = """
roles:
  writer:
    capabilities: [repository-write, test-run]
    handler: {kind: agent, model: m, tools: %s}
work_items: {one: {role: writer, capabilities: %s}}
"""


def refusals(text: str) -> list[str]:
    return unsupported(Topology(parse(text.encode()).data or {}))


def test_an_agent_may_write_and_start_programs() -> None:
    tools = "[read_file, write_file, run_command]"
    assert refusals(AGENT % (tools, "[repository-write, test-run]")) == []


def test_a_call_of_an_agent_is_paid_and_makes_do_with_less(compiled: Compiled) -> None:
    text = AGENT.replace("model: m", "model: m, prices: {input: 1, output: 2.5}")
    handler = compiled(text % ("[read_file]", "[repository-read]")).roles["writer"].handler
    usage = Budget(model_calls=1, cost_usd=220_480, tokens=208_192, tool_calls=32)
    assert (handler.max_usage, handler.elastic) == (usage, True)
    assert handler.metered == {"model_calls", "cost_usd", "tokens"}
