"""References where they cannot be filled, beyond the examples of the rule."""

from collections.abc import Callable

import pytest

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]

ONE = "work_items: {a: {run: [x], capabilities: []}}"


@pytest.mark.parametrize(
    "token", ["${goal}", "${scope}", "${budget}", "${completion}", "${attempt}"]
)
def test_outputs_of_the_run_refer_to_no_item_of_their_own(findings: Findings, token: str) -> None:
    (found,) = findings(f'forge: 1\noutputs: {{x: "{token}"}}\n{ONE}')
    assert found.message.startswith(f"'{token}' cannot stand here")


def test_a_goal_does_not_hold_itself(findings: Findings) -> None:
    text = 'forge: 1\nwork_items: {a: {run: [x], capabilities: [], goal: "again: ${goal}"}}'
    (found,) = findings(text)
    assert found.message == "'${goal}' cannot stand here: a goal cannot hold itself"


def test_what_looks_like_a_reference_in_a_script_is_told_with_the_way_it_goes(
    findings: Findings,
) -> None:
    text = "script: 'echo ${items.a.outputs.result} ${HOME}', capabilities: []"
    items = f"a: {{run: [x], capabilities: []}}, b: {{{text}}}"
    (found,) = findings(f"forge: 1\nwork_items: {{{items}}}")
    assert found.message == "'${items.a.outputs.result}' is not filled in a script"
    assert found.hint == (
        'write  with: {result: "${items.a.outputs.result}"}  and read  $INPUT_RESULT'
    )


@pytest.mark.parametrize(
    ("token", "hint"),
    [
        ("${inputs.x:-a}", 'write  with: {x: "${inputs.x}"}  and read  $INPUT_X'),
        ("${{ inputs.x }}", 'write  with: {x: "${inputs.x}"}  and read  $INPUT_X'),
        ("${each.name}", 'write  with: {each: "${each}"}  and read  $INPUT_EACH'),
        ("${budget.cost_usd}", 'write  with: {budget: "${budget}"}  and read  $INPUT_BUDGET'),
        ("${secrets.TOKEN}", "write  secrets: [TOKEN]  and read  $TOKEN"),
    ],
)
def test_a_form_that_bash_refuses_is_told_whatever_its_root(
    token: str, hint: str, findings: Findings
) -> None:
    (found,) = findings(
        f"forge: 1\nwork_items: {{a: {{script: 'echo {token}', capabilities: []}}}}"
    )
    assert found.message == f"'{token}' is not filled in a script"
    assert found.hint == hint


@pytest.mark.parametrize("text", ["${each}", "${run}", "${HOME%.x}", "\\${inputs.x}", "$INPUT_X"])
def test_what_is_ordinary_shell_in_a_script_is_let_be(text: str, findings: Findings) -> None:
    assert findings(f"forge: 1\nwork_items: {{a: {{script: 'x {text}', capabilities: []}}}}") == []


AGENT = """forge: 1
inputs: {{tone: {{default: strict}}}}
roles:
  r: {{capabilities: [], handler: {{kind: agent, base_url: "{url}", instructions: "{told}"}}}}
work_items:
  a: {{run: [x], capabilities: []}}
  b: {{role: r, depends_on: [a]}}
"""


def test_instructions_of_an_agent_come_from_no_item(findings: Findings) -> None:
    assert findings(AGENT.format(url="http://127.0.0.1:1/v1", told="Be ${inputs.tone}.")) == []
    told = "Do ${items.a.outputs.result}"
    (found,) = findings(AGENT.format(url="http://127.0.0.1:1/v1", told=told))
    assert found.message == (
        "'${items.a.outputs.result}' cannot stand here: instructions are no place for data"
    )


def test_the_place_of_a_model_comes_from_nowhere_else(findings: Findings) -> None:
    (found,) = findings(AGENT.format(url="${items.a.outputs.result}", told="Judge."))
    assert found.message == "'${items.a.outputs.result}' is not filled in 'base_url' of an agent"
