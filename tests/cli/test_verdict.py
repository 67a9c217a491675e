"""The verdict block and the exit codes."""

import dataclasses
import json
from collections.abc import Callable
from typing import Any

import pytest

from forge_cli.cli.board import Board
from forge_cli.cli.terminal import Terminal
from forge_cli.cli.verdict import Outcome, exit_code, refusal, verdict
from forge_cli.multiagent.plan import Item, Plan, Role

HEAD = "71c4de90b5a2f8363e0d9b17a4c6f5082b9e3d71c08fa64d5e92b7301fc8a6e4 24"
EVIDENCE = "evidence/hello/20261130-141203-7f3a"

Judge = Callable[..., list[str]]


@pytest.fixture
def judge(play: Callable[..., Any]) -> Judge:
    """Plays a run to its end and gives the verdict's lines."""

    def judged(
        plan: Plan,
        answers: dict[str, Any],
        *,
        written: bytes = b"",
        stop_at: int | None = None,
        live: bool = False,
    ) -> list[str]:
        run = play(plan, answers, stop_at=stop_at)
        board = Board(run.run.state)
        for event in run.events():
            board.apply(event)
        code = exit_code(board.status, board.signal)
        kept = {"sha256:aa": written, "sha256:bb": b"it is too late\n"}
        outcome = Outcome("7f3a", EVIDENCE, HEAD, f"forge run {plan.manifest}", kept.__getitem__)
        return verdict(board, Terminal(live=live), outcome, code)

    return judged


@pytest.fixture
def failing(answer_done: Callable[..., Any], answer_lost: Callable[..., Any]) -> dict[str, Any]:
    """Answers of which the second is a failure that wrote something."""
    captured = {"stdout": "sha256:aa"}
    return {
        "greet": [answer_done(0.1, {"result": "hello"})],
        "check": [answer_lost(0.1, "exit status 1", captured=captured)],
    }


def test_complete_names_evidence_and_head(
    judge: Judge, hello: Plan, answer_done: Callable[..., Any]
) -> None:
    answers = {
        "greet": [answer_done(0.1, {"result": "hello"})],
        "check": [answer_done(0.1, {"result": ""})],
    }
    assert judge(hello, answers) == [
        "COMPLETE  2 of 2 items accepted" + "exit 0".rjust(68),
        f"evidence  {EVIDENCE}",
        f"forge-evidence-head {HEAD}",
    ]


def test_failed_shows_what_the_item_wrote_last_and_what_to_type(
    judge: Judge, hello: Plan, failing: dict[str, Any]
) -> None:
    written = b"collected 214 items\n\nFAILED test_cart.py::test_total\n1 failed, 213 passed\n"
    expected = """\
FAILED  'check' failed and is required: exit status 1; 1 of 2 items accepted                 exit 1
  check  │ collected 214 items
  check  │ FAILED test_cart.py::test_total
  check  │ 1 failed, 213 passed
  look       forge show 7f3a check  what it was given, did and wrote
  all of it  evidence/hello/20261130-141203-7f3a/items/check/
"""
    assert judge(hello, failing, written=written)[:-2] == expected.splitlines()


def test_failed_names_what_was_not_started(
    judge: Judge, hello: Plan, answer_lost: Callable[..., Any]
) -> None:
    lines = judge(hello, {"greet": [answer_lost(1, "exit status 1")]})
    assert lines[0].endswith("0 of 2 items accepted; 'check' was    exit 1")
    assert lines[1] == "        not started"


def test_only_the_last_five_lines_are_shown(
    judge: Judge, hello: Plan, failing: dict[str, Any]
) -> None:
    written = b"".join(b"line %d\n" % number for number in range(10_000))
    shown = [line for line in judge(hello, failing, written=written) if "│" in line]
    assert shown == [f"  check  │ line {number}" for number in range(9995, 10_000)]


def test_what_was_written_cannot_move_the_cursor(
    judge: Judge, hello: Plan, failing: dict[str, Any]
) -> None:
    lines = judge(hello, failing, written=b"\x1b[2J\xff\r\n")
    assert "  check  │ \\x1b[2J\ufffd" in lines


def test_degraded_names_what_failed_and_is_not_required(
    judge: Judge,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> None:
    plan = make_plan("odd", [make_item("lint", required=False), make_item("test")])
    answers = {"lint": [answer_lost(1, "exit 2")], "test": [answer_done(1, {"result": ""})]}
    assert judge(plan, answers)[0] == (
        "DEGRADED  'lint' failed and is not required: exit 2; 1 of 2 items accepted"
        + "exit 3".rjust(25)
    )


def test_failed_names_both_of_two_that_failed(
    judge: Judge,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_lost: Callable[..., Any],
) -> None:
    plan = make_plan("odd", [make_item(name, then="continue") for name in ("lint", "test")])
    lines = judge(plan, {"lint": [answer_lost(1, "exit 2")], "test": [answer_lost(2, "exit 3")]})
    assert lines[0] == (
        "FAILED  'lint' failed and is required: exit 2; 'test' failed, too; 0 of 2 items accepted"
        + "exit 1".rjust(11)
    )
    assert "  also  forge show 7f3a test  exit 3" in lines


def test_failed_counts_what_else_failed(
    judge: Judge,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_lost: Callable[..., Any],
) -> None:
    names = [f"i-{number}" for number in range(1, 7)]
    plan = make_plan("odd", [make_item(name, then="continue") for name in names])
    lines = judge(plan, {name: [answer_lost(1, "exit 2")] for name in names})
    assert "'i-1' failed and is required: exit 2; 5 others failed, too" in lines[0]
    assert lines[-3] == "  and   forge show 7f3a      2 more failed"


def test_paused_says_who_stopped_and_what_can_be_typed(
    judge: Judge, fix: Plan, fix_answers: dict[str, Any], answer_lost: Callable[..., Any]
) -> None:
    items = dict(fix.items)
    items["build"] = dataclasses.replace(items["build"], then="escalate")
    answers = {**fix_answers, "build": [answer_lost(5, "it may not be done")]}
    lines = judge(dataclasses.replace(fix, items=items), answers)
    assert lines[:-2] == [
        "PAUSED  'build' stopped and waits for a person: it may not be done; 1 of 3 items accepted;"
        + "exit 4".rjust(9),
        "        'review' was not started",
        "  look     forge show 7f3a build                  what it was given, did and wrote",
        "  go on    forge resume 7f3a --reissue build      again from its start, told why",
        "  accept   forge resume 7f3a --accept build FILE  it is done: its outputs, as JSON",
        "  give up  forge resume 7f3a --deny build         undo nothing, end the run as failed",
        "  change   forge run fix.forge.yaml --reuse 7f3a  after an edit; keeps what was accepted",
    ]


@pytest.mark.parametrize(
    ("items", "last"),
    [
        (2, "  also     forge show 7f3a i-2                    it waits for a decision, too"),
        (5, "  and      forge show 7f3a                        1 more waits"),
        (6, "  and      forge show 7f3a                        2 more wait"),
    ],
)
def test_paused_names_the_others_that_wait(
    judge: Judge,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_lost: Callable[..., Any],
    items: int,
    last: str,
) -> None:
    names = [f"i-{number}" for number in range(1, items + 1)]
    plan = make_plan("odd", [make_item(name, then="escalate") for name in names])
    lines = judge(plan, {name: [answer_lost(1, "exit 2")] for name in names})
    others = [line for line in lines if line.startswith(("  also ", "  and "))]
    assert len(others) == min(items - 1, 4)
    assert others[-1] == last


def test_interrupted_ends_with_the_code_of_its_signal(
    judge: Judge, fix: Plan, answer_lost: Callable[..., Any]
) -> None:
    answers = {"research": [answer_lost(10, "the run got SIGINT", kind="cancelled")]}
    first = judge(fix, answers, stop_at=5000)[0]
    assert first.startswith("INTERRUPTED  stopped by SIGINT; 0 of 3 items accepted")
    assert first.endswith("exit 130")


def test_refused_lists_every_reason_and_says_that_nothing_was_started() -> None:
    lines = refusal(Terminal(), ["secret GH_TOKEN is not set", "program 'ruff' is missing"])
    assert lines == [
        "REFUSED  secret GH_TOKEN is not set; nothing was started" + "exit 2".rjust(43),
        "         program 'ruff' is missing",
    ]


@pytest.mark.parametrize(
    ("status", "code"), [("complete", 0), ("failed", 1), ("degraded", 3), ("paused", 4)]
)
def test_each_status_has_its_exit_code(status: str, code: int) -> None:
    assert exit_code(status) == code


def test_allowed_statuses_end_with_zero() -> None:
    assert exit_code("degraded", allow_degraded=True) == 0
    assert exit_code("paused", allow_paused=True) == 0
    assert exit_code("failed", allow_degraded=True, allow_paused=True) == 1


@pytest.mark.parametrize("status", ["complete", "degraded", "paused", "failed"])
def test_a_run_whose_evidence_does_not_hold_has_failed(status: str) -> None:
    assert exit_code(status, allow_degraded=True, allow_paused=True, holds=False) == 1


def test_signals_decide_the_code_of_a_run_that_was_stopped() -> None:
    assert exit_code("interrupted", "SIGINT") == 130
    assert exit_code("interrupted", "SIGTERM") == 143
    assert exit_code("interrupted", "SIGTERM", holds=False) == 143


def test_outputs_of_the_run_are_a_line_of_json_for_programs(
    judge: Judge,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
) -> None:
    outputs = {"brief": "${items.write.outputs.result}", "n": "${items.write.outputs.n}"}
    plan = make_plan("out", [make_item("write")], outputs=outputs)
    lines = judge(plan, {"write": [answer_done(1, {"result": "# Title\n\ntext", "n": [1]})]})
    word, _, whole = lines[1].partition("  ")
    assert (word, json.loads(whole)) == ("outputs", {"brief": "# Title\n\ntext", "n": [1]})
    assert lines[2] == f"evidence  {EVIDENCE}"


def test_outputs_of_the_run_are_lines_of_their_own_at_a_terminal(
    judge: Judge,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
) -> None:
    outputs = {"verdict": "${items.review.outputs.result}"}
    plan = make_plan("out", [make_item("review")], outputs=outputs)
    lines = judge(plan, {"review": [answer_done(1, {"result": "approve\x07"})]}, live=True)
    assert lines[1:3] == ["  verdict  approve\\x07", f"evidence  {EVIDENCE}"]


def test_a_text_of_several_lines_is_shown_by_its_first(
    judge: Judge,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
) -> None:
    outputs = {"brief": "${items.write.outputs.result}", "n": "${items.write.outputs.n}"}
    plan = make_plan("out", [make_item("write")], outputs=outputs)
    answers = {"write": [answer_done(1, {"result": "# Title\n\ntext", "n": [1]})]}
    assert judge(plan, answers, live=True)[1:4] == [
        "  brief  # Title ..",
        "  n      [1]",
        f"  all of it  {EVIDENCE}/run.json",
    ]


def test_the_verdict_has_the_first_clause_of_a_long_reason(
    judge: Judge, hello: Plan, answer_lost: Callable[..., Any]
) -> None:
    first = judge(hello, {"greet": [answer_lost(1, "exit status 1; it wrote nothing")]})[0]
    assert first.startswith("FAILED  'greet' failed and is required: exit status 1; 0 of 2 items")


def test_what_is_on_standard_error_comes_last(
    judge: Judge, hello: Plan, answer_lost: Callable[..., Any]
) -> None:
    captured = {"stderr": "sha256:bb", "stdout": "sha256:aa"}
    answers = {"greet": [answer_lost(1, "exit status 1", captured=captured)]}
    shown = [line for line in judge(hello, answers, written=b"1\n2\n3\n4\n5\n") if "│" in line]
    assert shown == [f"  greet  │ {text}" for text in ("2", "3", "4", "5", "it is too late")]
