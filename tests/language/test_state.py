"""Shared state, patterns and what is accepted into them, from the manifest."""

from collections.abc import Callable
from typing import Any

Run = Callable[..., Any]

ROLES = """
roles:
  finder: {capabilities: [], outputs: [found], handler: {kind: function, call: "f.py:find"}}
"""
FINDS = {"f.py": "def find(turn):\n    return {'found': turn.inputs['x']}\n"}


def both(merge: str) -> str:
    return f"""
state: {{found: {{owner: finder, merge: {merge}}}}}
work_items:
  a: {{role: finder, with: {{x: [1, 2]}}, return_channel: "state:found"}}
  b: {{role: finder, with: {{x: [2, 3]}}, return_channel: "state:found", depends_on: [a]}}
outputs: {{all: "${{state.found}}"}}
{ROLES}"""


def test_append_joins_lists(run: Run) -> None:
    ran = run(both("append"), files=FINDS)
    assert ran.document("run.json")["run"]["outputs"] == {"all": [1, 2, 2, 3]}


def test_union_joins_sets(run: Run) -> None:
    ran = run(both("union"), files=FINDS)
    assert ran.document("run.json")["run"]["outputs"] == {"all": [1, 2, 3]}


def test_reject_lets_a_writer_that_has_seen_the_last_version_replace_it(run: Run) -> None:
    ran = run(both("reject"), files=FINDS)
    assert ran.document("run.json")["run"]["outputs"] == {"all": [2, 3]}


def test_each_version_has_its_writer_its_attempt_and_the_version_that_it_had_read(
    run: Run,
) -> None:
    ran = run(both("append"), files=FINDS)
    assert ran.document("run.json")["state_versions"] == [
        {"attempt": "r/a/1", "item": "a", "read": 0, "version": 1},
        {"attempt": "r/b/1", "item": "b", "read": 1, "version": 2},
    ]


def test_outputs_of_a_for_each_go_to_the_state_at_once(run: Run) -> None:
    ran = run(
        f"""
state: {{found: {{owner: finder}}}}
work_items:
  all: {{role: finder, for_each: [1, 2], with: {{x: "${{each}}"}}, return_channel: "state:found"}}
outputs: {{all: "${{state.found}}"}}
{ROLES}""",
        files=FINDS,
    )
    assert ran.document("run.json")["run"]["outputs"] == {"all": [1, 2]}


def test_outputs_of_parallel_sub_tasks_are_by_name(run: Run) -> None:
    ran = run(
        """
work_items:
  both:
    pattern: parallel
    capabilities: []
    sub_tasks:
      a: {run: [echo, x]}
      b: {run: ["false"], required: false}
"""
    )
    assert ran.output("both") == {"a": {"result": "x"}, "b": None}


PROPOSES = {
    "p.py": """
from pathlib import Path


def propose(turn):
    for name in turn.inputs["writes"]:
        Path(name).write_text(name)
    return {"value": turn.item_id, "risk": turn.inputs["risk"], "evidence": [1, 2, 3, 4]}
"""
}


def proposals(*tasks: str) -> str:
    lines = "\n".join(f"      {task}" for task in tasks)
    return f"""
work_items:
  choose:
    pattern: resolve
    role: proposer
    sub_tasks:
{lines}
roles:
  proposer:
    capabilities: []
    outputs: [value, risk, evidence]
    handler: {{kind: function, call: "p.py:propose"}}
"""


def test_evidence_counts_by_the_digests_that_forge_took_itself(run: Run) -> None:
    ran = run(
        proposals(
            "a: {with: {risk: reversible, writes: []}}",
            "b: {with: {risk: reversible, writes: [m, n]}, evidence: ['files:m', 'files:n']}",
        ),
        files=PROPOSES,
    )
    assert ran.output("choose")["resolution"] == {
        "winner": "b",
        "value": "choose.b",
        "reason": "lowest_risk_then_evidence",
    }
    (resolution,) = ran.document("run.json")["resolutions"]
    assert [each["evidence_count"] for each in resolution["proposals"]] == [0, 2]


def test_irreversible_proposals_alone_pause(run: Run) -> None:
    ran = run(proposals("a: {with: {risk: irreversible, writes: []}}"), files=PROPOSES)
    assert ran.code == 4
    assert "approval_required" in ran.items["choose"]["reason"]


def test_evidence_that_is_missing_or_empty_rejects_the_result(run: Run) -> None:
    ran = run(
        """
work_items:
  a: {script: "touch empty", capabilities: [], evidence: ["files:empty"]}
"""
    )
    assert ran.code == 1
    assert "evidence 'files:empty' is missing or empty" in ran.said


def test_a_link_out_of_the_workspace_is_no_evidence(run: Run) -> None:
    ran = run(
        """
work_items:
  a: {script: "ln -s /etc/passwd found", capabilities: [], evidence: ["files:found"]}
"""
    )
    assert ran.code == 1
    assert "evidence 'files:found' is missing or empty" in ran.said


def test_a_result_is_held_against_schema_then_criteria(run: Run) -> None:
    ran = run(
        """
schemas: {"short@1": {properties: {result: {maxLength: 2}}}}
work_items:
  long: {run: [echo, abc], capabilities: [], completion: "schema:short@1", required: false}
  other: {run: [echo, ab], capabilities: [], criteria: ["result == 'cd'"], required: false}
  errs: {run: [echo, ab], capabilities: [], criteria: ["abs(result) > `1`"], required: false}
  good: {run: [echo, ab], capabilities: [], completion: "schema:short@1",
         criteria: ["result == 'ab'"]}
"""
    )
    assert ran.statuses() == {
        "long": "failed",
        "other": "failed",
        "errs": "failed",
        "good": "succeeded",
    }
    assert {ran.items[name]["kind"] for name in ("long", "other", "errs")} == {"invalid-output"}
    assert [each["item"] for each in ran.document("run.json")["state_versions"]] == ["good"]


def test_an_output_has_exactly_the_keys_of_its_contract(run: Run) -> None:
    ran = run(
        """
work_items:
  a:
    script: echo '{"one":1,"three":3}' > "$FORGE_RESULT"
    outputs: [one, two]
    capabilities: []
"""
    )
    assert "the output lacks 'two' and has 'three' beyond its contract" in ran.said


def test_an_output_that_nobody_has_named_is_told_where_to_name(run: Run) -> None:
    ran = run(
        """
roles:
  scribe:
    capabilities: []
    handler: {kind: command, argv: [echo, '{"notes": "x"}'], result: stdout-json}
work_items:
  a: {role: scribe}
"""
    )
    said = " ".join(ran.said.split())
    assert "lacks 'result' and has 'notes' beyond its contract: write outputs: [notes]" in said
