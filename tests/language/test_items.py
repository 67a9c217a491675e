"""Keys of items and roles, each by what it does in a run."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


def command(handler: str, item: str = "role: worker") -> str:
    return f"""
work_items:
  a: {{{item}}}
roles:
  worker:
    capabilities: []
    handler: {{kind: command, {handler}}}
"""


def test_exit_codes_give_a_failure_its_kind(run: Run) -> None:
    ran = run(command('argv: [sh, -c, exit 42], exit_codes: {"42": timeout}'))
    assert ran.items["a"]["kind"] == "timeout"


def test_extract_reads_outputs_and_usage_from_what_was_printed(run: Run) -> None:
    printed = json.dumps({"is_error": False, "out": {"result": 7}, "cost": 0.0125, "turns": 2})
    ran = run(
        command(
            f"argv: [echo, '{printed}'], max_usage: {{model_calls: 2, cost_usd: 1}}, "
            "extract: {ok: '!is_error', outputs: out, cost_usd: cost, model_calls: turns}"
        )
    )
    assert ran.output("a") == {"result": 7}
    spent = ran.document("run.json")["budgets"]["run"]["spent"]
    assert spent == {"model_calls": 2, "cost_usd": 12_500}


def test_max_output_cuts_what_is_kept_and_refuses_it_as_a_result(run: Run) -> None:
    ran = run(command("argv: [echo, '0123456789'], result: text, max_output: 5"))
    assert ran.items["a"]["kind"] == "invalid-output"
    assert "standard output is 11 bytes, more than `max_output`: 5" in ran.said
    kept = (ran.evidence / "items" / "a" / "stdout.txt").read_text("utf-8")
    assert "bytes left out" in kept


def test_grace_is_the_time_for_tidying_up(run: Run, tmp_path: Path) -> None:
    script = "trap 'sleep 0.3; touch tidy; exit' TERM; touch ready; while :; do sleep 0.1; done"
    ran = run(command(f'argv: [bash, -c, "{script}"], grace: 5s', "role: worker, timeout: 1s"))
    assert ran.items["a"]["kind"] == "timeout"
    assert (tmp_path / "tidy").exists()


def test_stdin_is_the_prompt_the_turn_or_nothing(run: Run) -> None:
    item = "role: worker, goal: Look, with: {x: 1}"
    ran = run(command("argv: [cat], stdin: prompt, result: text", item))
    assert ran.output("a") == {"result": 'Look\n\nInputs:\n{\n  "x": 1\n}'}


def test_standard_input_of_a_run_is_empty(run: Run) -> None:
    ran = run("work_items: {a: {run: [cat], capabilities: [], timeout: 30s}}")
    assert ran.output("a") == {"result": ""}


def test_written_outputs_come_from_the_result_file(run: Run) -> None:
    ran = run(
        """
work_items:
  a:
    script: echo not this; echo '{"n":1}' > "$FORGE_RESULT"
    outputs: [n]
    capabilities: []
"""
    )
    assert ran.output("a") == {"n": 1}


def test_a_script_ends_at_its_first_fault(run: Run) -> None:
    ran = run("work_items: {a: {script: 'false | true; echo on', capabilities: []}}")
    assert ran.code == 1


@pytest.mark.parametrize("source", ["[a, b]", '"${inputs.parts}"', '"${items.list.outputs.all}"'])
def test_for_each_takes_a_list_an_input_or_an_output(run: Run, source: str) -> None:
    ran = run(
        f"""
inputs: {{parts: {{default: [a, b]}}}}
work_items:
  list:
    script: echo '{{"all":["a","b"]}}' > "$FORGE_RESULT"
    outputs: [all]
    capabilities: []
  each: {{run: [echo, "<${{each}}>"], for_each: {source}, capabilities: [], depends_on: [list]}}
"""
    )
    assert ran.output("each") == {"result": ["<a>", "<b>"]}
    assert {"each.0", "each.1"} < ran.items.keys()


def test_elements_have_their_own_part_of_the_scope(run: Run) -> None:
    ran = run(
        """
work_items:
  each:
    script: echo "$INPUT_S"
    with: {s: "${scope}"}
    for_each: [web, api]
    scope: ["files:src/${each}/**"]
    writes: ["files:src/${each}/**"]
    capabilities: [write]
"""
    )
    assert ran.output("each") == {"result": ['["files:src/web/**"]', '["files:src/api/**"]']}


def test_an_element_from_an_input_cannot_widen_the_scope(run: Run) -> None:
    ran = run(
        """
scope: ["files:src/**"]
inputs: {parts: {type: array, default: [web]}}
work_items:
  each:
    run: [echo, "${each}"]
    for_each: ${inputs.parts}
    scope: ["files:src/${each}/**"]
    capabilities: [read]
""",
        "--input",
        'parts=["web", "../etc"]',
    )
    assert ran.code == 1
    assert "'../etc'" in ran.items["each"]["reason"]


def test_an_element_that_fails_and_is_not_required_does_not_stop_the_others(run: Run) -> None:
    ran = run(
        """
work_items:
  each: {run: [test, "${each}", "=", a], for_each: [b, a], capabilities: [], required: false}
"""
    )
    assert ran.code == 3
    assert ran.statuses() == {"each": "failed", "each.0": "failed", "each.1": "succeeded"}


def test_sub_tasks_inherit_what_they_do_not_say(run: Run) -> None:
    ran = run(
        """
work_items:
  all:
    pattern: parallel
    role: teller
    goal: common
    with: {x: 1}
    env: {A: b}
    sub_tasks:
      one: {}
      two: {goal: own, with: {x: 2}}
roles:
  teller:
    capabilities: []
    outputs: [goal, x, a]
    handler: {kind: function, call: "t.py:tell"}
""",
        files={
            "t.py": "import os\n\n\ndef tell(turn):\n"
            "    return {'goal': turn.purpose, 'x': turn.inputs['x'], 'a': os.environ['A']}\n"
        },
    )
    assert ran.output("all") == {
        "one": {"goal": "common", "x": 1, "a": "b"},
        "two": {"goal": "own", "x": 2, "a": "b"},
    }


def test_results_whose_writes_overlap_are_not_joined(run: Run) -> None:
    ran = run(
        """
work_items:
  both:
    pattern: parallel
    capabilities: [write]
    sub_tasks:
      one: {run: ["true"], writes: ["files:src/**"]}
      two: {run: ["true"], writes: ["files:src/a"], depends_on: [one]}
"""
    )
    assert ran.items["both"]["kind"] == "conflict"
    assert ran.items["both"]["reason"] == "'both.one' and 'both.two' may both write 'src/a'"


def test_outputs_of_the_run_are_printed_and_handed_to_later_steps(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "outputs"))
    ran = run(
        """
work_items: {a: {run: [echo, x], capabilities: []}}
outputs: {verdict: "${items.a.outputs.result}", how: "it ${items.a.status}"}
"""
    )
    assert 'outputs  {"verdict": "x", "how": "it succeeded"}' in ran.out
    assert "verdict" in (tmp_path / "outputs").read_text()


def test_digests_only_leaves_the_bodies_out_of_evidence(run: Run) -> None:
    ran = run(
        """
settings: {evidence: digests}
work_items: {a: {run: [echo, a-body-of-mine], capabilities: []}}
"""
    )
    assert ran.code == 0
    written = [path.read_bytes() for path in ran.evidence.rglob("*") if path.is_file()]
    assert not any(b"a-body-of-mine" in text.replace(b'"a-body-of-mine"]', b"") for text in written)


def test_a_secret_is_nowhere_in_what_was_written(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOKEN", "canary-in-the-mine")
    ran = run(
        """
secrets: [TOKEN]
work_items:
  a: {script: 'echo "$TOKEN"; echo "$TOKEN" >&2; exit 1', secrets: [TOKEN], capabilities: []}
"""
    )
    assert ran.code == 1
    assert "canary-in-the-mine" not in ran.out + ran.err
    written = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]
    assert not any(b"canary-in-the-mine" in text for text in written)


def test_a_secret_that_is_not_handed_over_is_not_in_the_environment(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "canary-in-the-mine")
    ran = run(
        """
secrets: [TOKEN]
work_items: {a: {script: 'echo "<$${TOKEN-none}>"', capabilities: []}}
""".replace("$$", "$")
    )
    assert ran.output("a") == {"result": "<none>"}


def test_a_condition_that_costs_too_much_fails_its_item(run: Run) -> None:
    doubled = "[@,@]" + "|[@,@]" * 40
    ran = run(
        f"""
inputs: {{a: {{default: b}}}}
work_items:
  one: {{run: [echo, x], capabilities: [], when: "inputs.a | {doubled} == 'b'"}}
"""
    )
    assert ran.items["one"]["status"] == "failed"
    assert "it takes more than 2,000,000 steps; ask for less" in ran.said


def test_a_criterion_that_costs_too_much_is_not_met(run: Run) -> None:
    doubled = "[@,@]" + "|[@,@]" * 40
    ran = run(
        f"""
work_items:
  one: {{run: [echo, x], capabilities: [], criteria: ["result | {doubled} == 'x'"]}}
"""
    )
    assert ran.items["one"]["status"] == "failed"
    (ended,) = ran.events("turn_ended")
    assert "it takes more than 2,000,000 steps; ask for less" in ended["verdict"]["reason"]
