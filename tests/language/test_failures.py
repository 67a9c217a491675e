"""What follows when an item fails, as its manifest says."""

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., Any]


def test_fail_of_a_required_item_ends_the_run(run: Run) -> None:
    ran = run(
        """
work_items:
  bad: {run: ["false"], capabilities: []}
  slow: {run: [sleep, "60"], capabilities: []}
  next: {run: ["true"], capabilities: [], depends_on: [slow]}
"""
    )
    assert ran.code == 1
    assert ran.statuses() == {"bad": "failed", "slow": "cancelled", "next": "cancelled"}


def test_fail_of_an_optional_item_blocks_what_depends_on_it_and_no_more(run: Run) -> None:
    ran = run(
        """
work_items:
  bad: {run: ["false"], capabilities: [], required: false}
  next: {run: ["true"], capabilities: [], required: false, depends_on: [bad]}
  last: {run: ["true"], capabilities: [], after: [next]}
"""
    )
    assert ran.code == 3
    assert ran.statuses() == {"bad": "failed", "next": "blocked", "last": "succeeded"}


def test_continue_starts_the_dependents_with_null(run: Run) -> None:
    ran = run(
        """
work_items:
  bad: {run: ["false"], capabilities: [], required: false, on_failure: continue}
  next: {script: 'echo "$INPUT_X"', capabilities: [], with: {x: "${items.bad.outputs.result}"}}
"""
    )
    assert ran.code == 3
    assert ran.output("next") == {"result": "null"}


def test_return_partial_keeps_what_was_done_in_evidence_and_out_of_the_state(run: Run) -> None:
    ran = run(
        """
work_items:
  bad:
    script: echo half; exit 1
    capabilities: []
    required: false
    on_failure: return-partial
    return_channel: state:kept
"""
    )
    assert ran.items["bad"]["partial"] == "half"
    assert ran.document("run.json")["state_versions"] == []


@pytest.mark.parametrize("policy", ["escalate", "return-partial-and-escalate"])
def test_escalate_pauses_the_branch_and_lets_the_others_end(run: Run, policy: str) -> None:
    ran = run(
        f"""
work_items:
  bad: {{run: ["false"], capabilities: [], on_failure: {policy}}}
  next: {{run: ["true"], capabilities: [], depends_on: [bad]}}
  other: {{run: ["true"], capabilities: []}}
"""
    )
    assert ran.code == 4
    assert ran.statuses() == {"bad": "paused", "next": "waiting", "other": "succeeded"}
    assert ran.document("run.json")["escalations"]


COUNTS = "n=$(cat n 2>/dev/null || echo 0); echo $((n + 1)) > n; "


def test_a_retry_that_succeeds_is_a_success_with_both_attempts_on_record(run: Run) -> None:
    ran = run(
        f"""
work_items:
  flaky:
    script: '{COUNTS} test "$n" = 1'
    capabilities: []
    on_failure: {{retry: {{max_attempts: 3, backoff: 1s}}}}
"""
    )
    assert ran.code == 0
    assert [turn["answer"] for turn in ran.items["flaky"]["turns"]] == ["failed", "done"]


def test_after_the_last_attempt_comes_what_then_says(run: Run) -> None:
    ran = run(
        """
work_items:
  bad:
    run: ["false"]
    capabilities: []
    on_failure: {retry: {max_attempts: 2, backoff: 1s, factor: 2, max: 1s}, then: escalate}
"""
    )
    assert ran.code == 4
    assert ran.items["bad"]["attempts"] == 2


def test_a_failure_that_is_not_listed_is_not_retried(run: Run) -> None:
    ran = run(
        """
work_items:
  bad:
    run: ["false"]
    capabilities: []
    on_failure: {retry: {max_attempts: 3, on: [timeout]}}
"""
    )
    assert ran.items["bad"]["attempts"] == 1


def test_a_timeout_is_an_end_of_its_kind(run: Run) -> None:
    ran = run(
        """
work_items:
  slow: {run: [sleep, "60"], capabilities: [], timeout: 1s}
"""
    )
    assert ran.code == 1
    assert ran.items["slow"]["kind"] == "timeout"


def test_an_items_deadline_ends_it_and_nothing_else(run: Run) -> None:
    ran = run(
        """
work_items:
  slow: {run: [sleep, "60"], capabilities: [], deadline: 1s, required: false}
  quick: {run: ["true"], capabilities: []}
"""
    )
    assert ran.items["slow"]["kind"] == "deadline"
    assert ran.statuses() == {"slow": "failed", "quick": "succeeded"}


def test_the_runs_deadline_ends_all(run: Run) -> None:
    ran = run(
        """
deadline: 1s
work_items:
  slow: {run: [sleep, "60"], capabilities: [], timeout: 1s}
  next: {run: [sleep, "60"], capabilities: [], after: [slow], timeout: 1s}
"""
    )
    assert ran.code == 1
    assert set(ran.statuses().values()) == {"failed"}


def test_under_hold_a_timeout_leaves_open_what_was_done(run: Run) -> None:
    ran = run(
        """
work_items:
  writes: {run: [sleep, "60"], capabilities: [repository-write], timeout: 1s,
           scope: ["files:b/**"]}
  reads: {run: [sleep, "60"], capabilities: [], timeout: 1s, required: false}
  told: {run: [sleep, "60"], capabilities: [repository-write], timeout: 1s, on_crash: rerun,
         required: false, scope: ["files:a/**"]}
  next: {run: ["true"], capabilities: [], depends_on: [writes]}
"""
    )
    assert ran.code == 4
    assert ran.statuses() == {
        "writes": "indeterminate",
        "reads": "failed",
        "told": "failed",
        "next": "waiting",
    }


def test_when_is_false_skips_the_item_and_what_depends_on_it(run: Run) -> None:
    ran = run(
        """
inputs: {deep: {default: false}}
work_items:
  first: {run: [echo, a], capabilities: []}
  maybe: {run: [echo, b], capabilities: [], when: inputs.deep, depends_on: [first]}
  next: {run: [echo, c], capabilities: [], depends_on: [maybe]}
  last: {run: [echo, d], capabilities: [], after: [maybe]}
"""
    )
    assert ran.code == 0
    assert ran.statuses() == {
        "first": "succeeded",
        "maybe": "skipped",
        "next": "skipped",
        "last": "succeeded",
    }


def test_too_few_roles_that_succeed_fail_the_run(run: Run) -> None:
    ran = run(
        """
join: {minimum_successes: 2}
work_items:
  one: {run: ["true"], capabilities: [], required: false}
  two: {run: ["false"], capabilities: [], required: false}
"""
    )
    assert ran.code == 1


def test_a_part_of_an_optional_item_is_not_called_required(run: Run) -> None:
    ran = run(
        """
work_items:
  both:
    pattern: parallel
    required: false
    capabilities: []
    sub_tasks: {a: {run: ["false"]}, b: {run: ["true"]}}
"""
    )
    assert "DEGRADED 'both.a' failed and is not required" in ran.said
