"""Which call of an attempt was denied, and what an item had changed by then."""

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from forge_cli.multiagent.plan import Plan

Show = Callable[..., str]
Answer = tuple[int, dict[str, Any]]

BEYOND: Any = {
    "tool": "write_file",
    "action": "file-write",
    "reason": "write 'pyproject.toml' is denied: not in its writes: files:src/**",
    "link": "item:build",
    "key": "writes",
}
READ: Any = {"tool": "read_file", "arguments": {"path": "src/a.py"}}


def asks(*tools: str, effects: tuple[Any, ...] = (), turn: int = 1) -> Answer:
    """A turn that asks for calls, and has read before."""
    return 1000, {
        "status": "yields",
        "turn": turn,
        "state": None,
        "requests": [{"tool": tool, "arguments": {}} for tool in tools],
        "effects": list(effects),
        "usage": {"model_calls": 1, "cost_usd": 1, "tool_calls": len(effects)},
    }


def wrote(path: str) -> Answer:
    """A call that has changed a file."""
    effects = [{"tool": "write_file", "path": path}]
    output = {"result": path}
    return 0, {
        "status": "done",
        "output": output,
        "effects": effects,
        "usage": {"tool_calls": 1},
    }


def denied() -> Answer:
    """A call that was not made."""
    told = {"kind": "error", "message": BEYOND["reason"], "usage": {"tool_calls": 0}}
    effects = [{"tool": "write_file", "path": "pyproject.toml", "denied": BEYOND["reason"]}]
    return 0, {"status": "failed", **told, "effects": effects, "denials": [BEYOND]}


@pytest.fixture
def build(fix: Plan) -> Plan:
    """One agent that may read, write and run programs."""
    item = fix.items["build"]
    actions = frozenset({"file-read", "file-write", "process"})
    grant = dataclasses.replace(item.grant, actions=actions)
    alone = dataclasses.replace(item, grant=grant, depends_on=(), budget=None)
    return dataclasses.replace(fix, items={"build": alone})


def test_a_denied_call_is_told_by_its_number_in_the_attempt(show: Show, build: Plan) -> None:
    answers = {
        "build": [
            asks("write_file", effects=(READ, READ)),
            asks("write_file", effects=(READ,), turn=2),
        ],
        "build.call-1-1": [wrote("src/a.py")],
        "build.call-2-1": [denied()],
    }
    assert show(build, answers).splitlines()[-5:] == [
        "  0:02  build     DENIED     write 'pyproject.toml'",
        "                             not in its writes: files:src/**",
        "                             refused by the writes of item 'build'",
        "                             nothing was changed; call 5 of this attempt",
        "  0:02  build     paused     branch stopped; 1 changed file kept as it is",
    ]


def test_what_an_agent_has_not_changed_is_not_kept(show: Show, build: Plan) -> None:
    answers = {"build": [asks("write_file")], "build.call-1-1": [denied()]}
    assert show(build, answers).endswith("branch stopped; it has changed nothing\n")


def test_files_are_not_counted_where_a_program_may_have_changed_some(
    show: Show, build: Plan
) -> None:
    answers = {
        "build": [asks("run_command", "write_file")],
        "build.call-1-1": [(0, {"status": "done", "output": {"result": ""}, "usage": {}})],
        "build.call-1-2": [denied()],
    }
    assert show(build, answers).endswith("branch stopped; what it changed is kept as it is\n")


def test_the_denied_read_for_which_an_item_pauses_is_told(show: Show, build: Plan) -> None:
    reason = "'.env' is denied: its scope is files:**"
    effect = {"tool": "read_file", "action": "file-read", "denied": reason}
    denial = {"tool": "read_file", "action": "file-read", "reason": reason}
    body = {"status": "done", "output": {}, "effects": [effect], "denials": [denial]}
    usage = {"model_calls": 1, "cost_usd": 1}
    fourth = {**body, "effects": [effect] * 4, "denials": [denial] * 4, "usage": usage}
    told = show(build, {"build": [(1000, fourth)]})
    assert "DENIED     '.env'\n" in told
    assert "call 4 of this attempt\n" in told
    assert told.endswith("branch stopped; it has changed nothing\n")


def test_an_item_that_was_denied_something_is_annotated_once(show: Show, build: Plan) -> None:
    answers = {"build": [asks("write_file")], "build.call-1-1": [denied()]}
    told = show(build, answers, github=True)
    assert told.count("::warning") == 1
    assert "title=denied%3A build::write 'pyproject.toml' is denied" in told
