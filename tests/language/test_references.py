"""`${...}` in manifests: each kind of reference is filled, and nothing else is."""

import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]

SEES = {"see.py": "def see(turn):\n    return {'goal': turn.purpose, 'inputs': turn.inputs}\n"}
SEER = """
roles:
  seer:
    capabilities: [repository-read]
    outputs: [goal, inputs]
    handler: {kind: function, call: "see.py:see"}
"""
LARGE = """
  large: {run: [python3, -c, "print('x' * 300000)"], capabilities: []}
"""


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("${inputs.n}", 3),
        ("${inputs.l}", ["a", "b"]),
        ("${items.before.outputs.result}", "done"),
        ("${items.before.status}", "succeeded"),
        ("${state.kept}", {"result": "done"}),
        ("${env.COLOUR}", "red"),
        ("${goal}", "look"),
        ("${scope}", ["files:src/**"]),
        ("${budget}", {"model_calls": 2, "cost_usd": "1.5"}),
        ("${budget.cost_usd}", "1.5"),
        ("${completion}", {"type": "object"}),
        ("${run}", "r"),
        ("${attempt}", "r/look/1"),
        ("${inputs.n} of ${inputs.l}", '3 of ["a","b"]'),
        ("$${inputs.n}", "${inputs.n}"),
    ],
)
def test_a_reference_has_its_value(
    run: Run, monkeypatch: pytest.MonkeyPatch, reference: str, value: Any
) -> None:
    monkeypatch.setenv("COLOUR", "red")
    ran = run(
        f"""
inputs: {{n: {{default: 3}}, l: {{default: [a, b]}}}}
env: [COLOUR]
schemas: {{"any@1": {{type: object}}}}
work_items:
  before: {{run: [echo, done], capabilities: [], return_channel: "state:kept"}}
  look:
    role: seer
    goal: look
    scope: ["files:src/**"]
    budget: {{model_calls: 2, cost_usd: 1.5}}
    completion: schema:any@1
    with: {{seen: "{reference}"}}
    depends_on: [before]
{SEER}""",
        files=SEES,
    )
    assert ran.code == 0, ran.err
    assert ran.output("look")["inputs"] == {"seen": value}


def test_each_is_the_element(run: Run) -> None:
    ran = run(
        """
work_items:
  show: {run: [echo, "${each}"], for_each: [1, {k: v}], capabilities: []}
"""
    )
    assert ran.output("show") == {"result": ["1", '{"k":"v"}']}


def test_a_goal_is_text_whatever_it_refers_to(run: Run) -> None:
    ran = run(
        f"""
inputs: {{l: {{default: [a, b]}}}}
work_items:
  look: {{role: seer, goal: "${{inputs.l}}"}}
{SEER}""",
        files=SEES,
    )
    assert ran.output("look")["goal"] == '["a","b"]'


def test_a_list_as_a_whole_argument_is_one_argument_for_each_and_none_is_split(run: Run) -> None:
    ran = run(
        """
inputs: {words: {default: [a b, "$HOME;c"]}}
work_items:
  show: {run: [printf, "<%s>", "${inputs.words}"], capabilities: []}
"""
    )
    assert ran.output("show") == {"result": "<a b><$HOME;c>"}


def test_data_cannot_become_an_option(run: Run) -> None:
    ran = run(
        """
inputs: {word: {default: --help}}
work_items:
  show: {run: [cat, "${inputs.word}"], capabilities: []}
"""
    )
    assert ran.code == 1
    assert "the argument '--help' comes from ${inputs.word} and begins with '-'" in ran.said


def test_a_script_is_not_filled_and_gets_its_inputs_by_the_environment(run: Run) -> None:
    ran = run(
        """
inputs: {word: {default: '"; exit 3; "'}}
work_items:
  show:
    script: 'echo "$INPUT_A_WORD ${INPUT_N}"'
    with: {a-word: "${inputs.word}", n: [1]}
    capabilities: []
"""
    )
    assert ran.output("show") == {"result": '"; exit 3; " [1]'}


def test_a_value_that_does_not_travel_inline_comes_whole_to_who_it_is_handed(run: Run) -> None:
    ran = run(
        f"""
work_items:
{LARGE}
  measure:
    role: measurer
    with: {{deep: ["${{items.large.outputs.result}}"]}}
roles:
  measurer:
    capabilities: []
    handler: {{kind: function, call: "measure.py:measure"}}
""",
        files={"measure.py": "def measure(turn):\n    return len(turn.inputs['deep'][0])\n"},
    )
    assert ran.output("measure") == {"result": 300_000}
    assert ran.output("large")["result"].keys() == {"artifact", "bytes"}


def test_a_program_gets_a_large_input_on_standard_input(run: Run) -> None:
    ran = run(
        f"""
work_items:
{LARGE}
  measure: {{role: measurer, with: {{x: "${{items.large.outputs.result}}"}}}}
roles:
  measurer:
    capabilities: []
    handler:
      kind: command
      argv: [python3, -c, "import json, sys; print(len(json.load(sys.stdin)['inputs']['x']))"]
      result: text
"""
    )
    assert ran.output("measure") == {"result": "300000"}


def test_a_condition_looks_at_large_values_whole(run: Run) -> None:
    ran = run(
        """
work_items:
  large:
    run: [python3, -c, "print('x' * 300000)"]
    capabilities: []
    return_channel: state:text
  then:
    run: [echo, yes]
    capabilities: []
    when: length(items.large.outputs.result) == `300000` && length(state.text.result) > `3`
    depends_on: [large]
"""
    )
    assert ran.statuses()["then"] == "succeeded"


def test_a_value_too_large_for_a_text_fails_the_item_and_says_so(run: Run) -> None:
    ran = run(
        f"""
work_items:
{LARGE}
  show: {{run: [echo, "it is ${{items.large.outputs.result}}"], capabilities: []}}
"""
    )
    assert ran.code == 1
    assert "a value of 300002 bytes is kept as an artifact and cannot" in ran.said


def test_a_list_too_large_to_travel_is_not_taken_for_elements(run: Run) -> None:
    ran = run(
        """
work_items:
  list:
    script: python3 -c 'print({"result":["x" * 300000]})' | tr "'" '"' > "$FORGE_RESULT"
    outputs: [result]
    capabilities: []
  show:
    run: [echo, "${each}"]
    for_each: ${items.list.outputs.result}
    capabilities: []
"""
    )
    assert ran.items["show"]["reason"] == (
        "for_each wants a list, '${items.list.outputs.result}' is kept as an artifact of 300004"
        " bytes; hand on a shorter one"
    )


def test_an_agent_cannot_refer_to_artifacts_itself(run: Run) -> None:
    ran = run(
        """
work_items:
  forge-one:
    script: echo '{"result":[{"artifact":"sha256:00","bytes":1}]}' > "$FORGE_RESULT"
    outputs: [result]
    capabilities: []
"""
    )
    assert ran.code == 1
    assert "has the form of a reference to an artifact" in ran.said


@pytest.mark.parametrize("key", ["result", "surplus"])
def test_a_rejected_reference_is_not_recorded_as_one(run: Run, key: str) -> None:
    reference = json.dumps({"artifact": f"sha256:{'0' * 64}", "bytes": 5}, separators=(",", ":"))
    ran = run(
        f"""
work_items:
  forge-one:
    script: echo '{{"{key}":{reference}}}' > "$FORGE_RESULT"
    outputs: [result]
    capabilities: []
"""
    )
    (ended,) = ran.events("turn_ended")
    assert ended["output"] == {}
    assert ended["verdict"]["accepted"] is False


@pytest.mark.parametrize(
    "text",
    [
        "inputs: {x: {default: {artifact: 0, bytes: 1}}}\nwork_items:\n  look: {role: seer}\n",
        "work_items:\n  look: {role: seer, with: {x: {artifact: nowhere, bytes: 1}}}\n",
        "work_items:\n  look: {role: seer, with: {x: [{artifact: nowhere, bytes: 1}]}}\n",
    ],
)
def test_a_manifest_cannot_refer_to_artifacts_itself(run: Run, text: str) -> None:
    ran = run(text + SEER, files=SEES)
    assert ran.code == 2
    assert "a mapping of 'artifact' and 'bytes' alone is how forge notes" in ran.said


def test_an_input_that_is_given_cannot_refer_to_artifacts(run: Run) -> None:
    ran = run(
        """
inputs: {x: {type: object}}
work_items:
  look: {role: seer, with: {x: "${inputs.x}"}}
"""
        + SEER,
        "--input",
        'x={"artifact": "nowhere", "bytes": 1}',
        files=SEES,
    )
    assert ran.code == 2
    assert "input 'x' holds a mapping of 'artifact' and 'bytes' alone" in ran.said


def test_a_turn_that_starts_beside_one_that_ends_the_run_is_cancelled(run: Run) -> None:
    ran = run(
        """
inputs: {word: {default: -x}}
work_items:
  slow: {run: [sleep, "60"], capabilities: []}
  bad: {run: [echo, "${inputs.word}"], capabilities: []}
"""
    )
    assert ran.statuses() == {"bad": "failed", "slow": "cancelled"}
    assert ran.code == 1
