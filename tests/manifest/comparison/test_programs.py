"""Handlers: when a changed one holds more than it did."""

from typing import Any

import pytest

from forge_cli.manifest.comparison.programs import Program, program
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Handler


def held(kind: str = "command", usage: Budget | None = None, **config: Any) -> Program:
    """A program of this configuration that names no files."""
    return Program(Handler(kind, config, max_usage=usage), {})


GAINS = [
    (held(secrets=["A"]), held(secrets=["A", "B"]), "is given the secrets 'B'"),
    (held(), held(kind="mcp", server={"secrets": ["A"]}, tools={}), "is given the secrets 'A'"),
    (held(sandbox="bubblewrap"), held(), "is no longer held by the sandbox"),
    (held(sandbox="bubblewrap"), held(sandbox="landlock"), "is no longer held by the sandbox"),
    (held(), held(usage=Budget(tokens=1)), "may use more 'tokens' in one call"),
    (held("agent", tools=["a"]), held("agent", tools=["b"]), "is given the tools 'b'"),
    (held("agent", tools=["a"]), held("agent"), "is given every tool that it may use"),
    (
        held("mcp", tools={"look": ["query"]}),
        held("mcp", tools={"look": ["query", "drop"]}),
        "is given the tools 'look: drop'",
    ),
]


@pytest.mark.parametrize(("old", "new", "witness"), GAINS)
def test_what_it_gains_is_breaking(old: Program, new: Program, witness: str) -> None:
    verdict = program(old, new)
    assert verdict is not None
    assert verdict.weight == "breaking"
    assert verdict.witness.startswith(witness)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (held(secrets=["A", "B"]), held(secrets=["A"])),
        (held(), held(sandbox="landlock")),
        (held(usage=Budget(tokens=2)), held(usage=Budget(tokens=1))),
        (held("agent"), held("agent", tools=["a"])),
    ],
)
def test_what_it_loses_is_behavioural(old: Program, new: Program) -> None:
    verdict = program(old, new)
    assert verdict is not None
    assert (verdict.weight, verdict.direction, verdict.witness) == ("behavioural", "changed", "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (held(env={}), held()),
        (held(sandbox="off"), held()),
        (held(secrets=["B", "A"]), held(secrets=["A", "B"])),
        (held(usage=Budget()), held()),
        (held("agent", max_turns=50), held("agent")),
        (held("codex", grace="5s", max_output=16 * 2**20), held("codex")),
    ],
)
def test_what_the_language_fills_in_is_no_change(old: Program, new: Program) -> None:
    assert program(old, new) is None


def test_only_the_keys_that_differ_are_shown() -> None:
    verdict = program(held(argv=["a"], stdin="json"), held(argv=["b"], stdin="json"))
    assert verdict is not None
    assert (verdict.old, verdict.new) == ("{argv: [a]}", "{argv: [b]}")
