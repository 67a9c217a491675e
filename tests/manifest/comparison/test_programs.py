"""Handlers: when a changed one holds more than it did."""

from typing import Any

import pytest

from forge_cli.manifest.comparison.programs import Program, program
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Handler


def held(kind: str = "command", usage: Budget | None = None, **config: Any) -> Program:
    """A program of this configuration that names no files."""
    return Program(Handler(kind, config, max_usage=usage), {})


def test_more_usage_of_one_call_is_breaking() -> None:
    verdict = program(held(), held(usage=Budget(tokens=1)))
    assert verdict is not None
    assert (verdict.weight, verdict.direction) == ("breaking", "widened")
    assert verdict.witness == "may use more 'tokens' in one call"


def test_less_usage_of_one_call_is_behavioural() -> None:
    verdict = program(held(usage=Budget(tokens=2)), held(usage=Budget(tokens=1)))
    assert verdict is not None
    assert (verdict.weight, verdict.direction, verdict.witness) == ("behavioural", "changed", "")


TOOL = {"tool": "query", "capability": "look"}


def test_the_secrets_of_a_server_are_given_to_the_handler_that_starts_it() -> None:
    assert held("mcp", server={"argv": ["logs"], "secrets": ["A"]}).secrets == {"A"}


@pytest.mark.parametrize(
    ("made", "tools"),
    [
        (held("agent"), None),
        (held("agent", tools=["a"]), {"a"}),
        (
            held("mcp", tools=[TOOL, {**TOOL, "tool": "count", "scope_args": ["path", "host"]}]),
            {"look: query", "look: count (path, host in scope)"},
        ),
        (held("command"), set()),
    ],
)
def test_a_model_without_named_tools_has_all_and_a_program_has_none(
    made: Program, tools: set[str] | None
) -> None:
    assert made.tools == tools


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (held(env={}), held()),
        (held(sandbox="off"), held()),
        (held(secrets=["A"]), held(secrets=["B"])),
        (held("agent", tools=["a"]), held("agent", tools=["b"])),
        (held("mcp", tools=[], server={"secrets": ["A"]}), held("mcp", tools=[], server={})),
        (held(usage=Budget()), held()),
        (held("agent", max_turns=50), held("agent")),
    ],
)
def test_what_it_is_given_and_what_the_language_fills_in_is_no_other_call(
    old: Program, new: Program
) -> None:
    assert program(old, new) is None


def test_a_preset_is_shown_by_its_name_and_not_by_what_it_stands_for() -> None:
    old, new = (held(preset=name, argv=[name], options=[]) for name in ("codex", "qwen-code"))
    verdict = program(old, new)
    assert verdict is not None
    assert (verdict.old, verdict.new) == ("{preset: codex}", "{preset: qwen-code}")


def test_only_the_keys_that_differ_are_shown() -> None:
    verdict = program(held(argv=["a"], stdin="json"), held(argv=["b"], stdin="json"))
    assert verdict is not None
    assert (verdict.old, verdict.new) == ("{argv: [a]}", "{argv: [b]}")


def served(*tools: dict[str, Any], **server: Any) -> Program:
    """An agent with one server."""
    return held("agent", servers={"logs": {"server": server, "tools": list(tools)}})


def test_another_tool_of_an_agents_server_is_breaking() -> None:
    verdict = program(served(TOOL), served(TOOL, {**TOOL, "tool": "drop"}))
    assert verdict is not None
    assert (verdict.weight, verdict.witness) == ("breaking", "may call 'logs/look: drop'")


def test_fewer_tools_of_an_agents_server_are_behavioural() -> None:
    verdict = program(served(TOOL, {**TOOL, "tool": "drop"}), served(TOOL))
    assert verdict is not None
    assert verdict.weight == "behavioural"


def test_the_secrets_of_an_agents_servers_are_given_to_it_and_no_other_call() -> None:
    keyed = served(TOOL, secrets=["A"])
    assert keyed.secrets == {"A"}
    assert program(keyed, served(TOOL)) is None
