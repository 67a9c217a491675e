"""Items that ask for something while they go on: children, steps, and calls of tools."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

LEAD = """
from forge_cli.multiagent.turn import TurnResult

def lead(turn):
    if turn.number == 1:
        return TurnResult.yields(None, requests=tuple(turn.inputs["asks"]))
    return {"answers": list(turn.answers)}

def look(turn):
    return {"found": f"{turn.purpose} by {turn.role_id}"}
"""
PROGRAM = """
import json, sys

turn = json.load(sys.stdin)
if turn["number"] == 1:
    print(json.dumps({"status": "yields", "requests": turn["inputs"]["asks"]}))
else:
    print(json.dumps({"answers": turn["answers"]}))
"""
FILES = {"team.py": LEAD, "program.py": PROGRAM}
ROLES = f"""
roles:
  lead:
    capabilities: [repository-read, repository-write]
    outputs: [answers]
    delegates: {{to: [reader], capabilities: [repository-read]}}
    handler: {{kind: function, call: "team.py:lead"}}
  program:
    capabilities: [repository-read]
    outputs: [answers]
    delegates: {{to: [reader]}}
    handler: {{kind: command, argv: ["{sys.executable}", program.py]}}
  reader:
    capabilities: [repository-read]
    outputs: [found]
    handler: {{kind: function, call: "team.py:look"}}
"""
CHILD = (
    "{tool: delegate_subagent, arguments:"
    " {name: reader, task: Look, capabilities: [repository-read]}}"
)


@pytest.mark.parametrize("role", ["lead", "program"])
def test_functions_and_programs_ask_for_children(run: Run, role: str) -> None:
    ran = run(
        f"""{ROLES}
work_items:
  fix: {{role: {role}, with: {{asks: [{CHILD}]}}}}
""",
        files=FILES,
    )
    assert ran.code == 0
    (answer,) = ran.output("fix")["answers"]
    assert answer["output"] == {"found": "Look by reader"}
    assert ran.items["fix.child-1-1"]["task"] == "Look"


def test_a_child_that_may_have_no_more_than_is_handed_on_is_denied(run: Run) -> None:
    wider = CHILD.replace("[repository-read]", "[repository-write]")
    ran = run(
        f"""{ROLES}
work_items:
  fix: {{role: lead, with: {{asks: [{wider}]}}}}
""",
        files=FILES,
    )
    assert ran.code == 0
    (answer,) = ran.output("fix")["answers"]
    assert answer["error"]["message"] == "you may not hand on the capability 'repository-write'"
    assert list(ran.items) == ["fix"]


def test_the_environment_ends_a_chain_earlier(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE_HIERARCHICAL_MAX_DEPTH", "0")
    ran = run(
        f"""{ROLES}
work_items:
  fix: {{role: lead, with: {{asks: [{CHILD}]}}}}
""",
        files=FILES,
    )
    (answer,) = ran.output("fix")["answers"]
    assert answer["error"]["kind"] == "depth"


def test_a_tool_writes_only_what_the_item_may_and_then_the_item_pauses(
    run: Run, tmp_path: Path
) -> None:
    asks = ", ".join(
        f"{{tool: write_file, arguments: {{path: {path}, content: new}}}}"
        for path in ("docs/a.md", "src/a.py")
    )
    ran = run(
        f"""{ROLES}
work_items:
  fix: {{role: lead, writes: ["files:docs/**"], with: {{asks: [{asks}]}}}}
""",
        files=FILES,
    )
    assert ran.code == 4
    made, denied = ran.items["fix.call-1-1"], ran.items["fix.call-1-2"]
    assert (made["status"], denied["status"]) == ("succeeded", "failed")
    assert "not in its writes: files:docs/**; refused by the writes" in ran.items["fix"]["reason"]
    assert [path.name for path in tmp_path.rglob("a.*")] == ["a.md"]


def test_calls_of_one_turn_that_change_one_file_lose_nothing(run: Run, tmp_path: Path) -> None:
    calls = [("write_file", "content: one two")]
    calls += [("edit_file", f"old: {word}, new: {word}!") for word in ("one", "two")]
    asks = ", ".join(
        f"{{tool: {tool}, arguments: {{path: docs/a.md, {what}}}}}" for tool, what in calls
    )
    ran = run(
        f"""{ROLES}
work_items:
  fix: {{role: lead, writes: ["files:docs/**"], with: {{asks: [{asks}]}}}}
""",
        files=FILES,
    )
    assert [answer["status"] for answer in ran.output("fix")["answers"]] == ["succeeded"] * 3
    (path,) = tmp_path.rglob("a.md")
    assert path.read_text() == "one! two!"


STEPS = (
    "{tool: decompose_task, arguments:"
    " {steps: [{goal: First, role: reader, capabilities: []},"
    " {goal: Second, role: reader, capabilities: []}]}}"
)


@pytest.mark.parametrize(("most", "made"), [(2, True), (1, False)])
def test_a_high_item_inserts_as_many_steps_as_it_may(run: Run, most: int, made: bool) -> None:
    ran = run(
        f"""{ROLES}
settings: {{dynamic_decomposition: true}}
work_items:
  plan: {{role: lead, complexity: high, max_steps: {most}, with: {{asks: [{STEPS}]}}}}
  check: {{run: [echo, done], capabilities: [], depends_on: [plan]}}
""",
        files=FILES,
    )
    assert ran.code == 0
    steps = ["plan.step-1-1-1", "plan.step-1-1-2"]
    assert [name for name in ran.items if "step" in name] == (steps if made else [])
    (answer,) = ran.output("plan")["answers"]
    assert answer["status"] == ("succeeded" if made else "denied")


def test_elsewhere_the_tool_does_not_exist(run: Run) -> None:
    ran = run(
        f"""{ROLES}
work_items:
  plan: {{role: lead, with: {{asks: [{STEPS}]}}}}
""",
        files=FILES,
    )
    (answer,) = ran.output("plan")["answers"]
    assert answer["error"]["message"] == "unknown tool 'decompose_task'"
