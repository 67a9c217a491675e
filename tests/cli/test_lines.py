"""The lines of a run's progress that are there only where more is wanted."""

from collections.abc import Callable
from typing import Any

import pytest

from forge_cli.cli.board import LARGE, Board
from forge_cli.cli.lines import Lines
from forge_cli.cli.terminal import Terminal
from forge_cli.multiagent.plan import Plan, Retry

Told = Callable[..., list[str]]


@pytest.fixture
def told(play: Callable[..., Any]) -> Told:
    """The lines of a played run."""

    def of(plan: Plan, answers: dict[str, Any], verbose: bool = True) -> list[str]:
        run = play(plan, answers)
        board = Board(run.run.state)
        lines, found = Lines(board, Terminal(), verbose), list[str]()
        for event in run.events():
            found += lines.of(event)
            board.apply(event)
        return found

    return of


@pytest.fixture
def large(make_item: Callable[..., Any], make_plan: Callable[..., Plan]) -> Plan:
    """A run with more items than have lines by themselves."""
    return make_plan("large", [make_item(f"n{number}") for number in range(LARGE + 1)])


def test_every_turn_of_a_large_run_has_its_lines(
    told: Told, large: Plan, answer_done: Callable[..., Any]
) -> None:
    answers = {name: [answer_done(1, {"result": "x"})] for name in large.items}
    lines = told(large, answers)
    assert len(lines) == 2 * len(large.items)
    assert lines[0] == "  0:00  n0        started    its own program may: nothing"
    assert lines[-1] == "  0:51  n200      accepted   result, 1 B"
    assert told(large, answers, verbose=False) == []


def test_failures_of_a_large_run_are_all_told(
    told: Told,
    make_item: Callable[..., Any],
    make_plan: Callable[..., Plan],
    answer_lost: Callable[..., Any],
) -> None:
    names = [f"n{number}" for number in range(LARGE + 1)]
    plan = make_plan("large", [make_item(name, required=False) for name in names])
    lost = {name: [answer_lost(1, "exit status 1")] for name in names}
    assert sum("FAILED" in line for line in told(plan, lost)) == len(names)
    assert told(plan, lost, verbose=False)[-1].endswith("further failures are not listed here")


def test_a_turn_tells_what_it_was_given(
    told: Told,
    make_item: Callable[..., Any],
    make_plan: Callable[..., Plan],
    answer_done: Callable[..., Any],
) -> None:
    given = {"change": "tighten\nthe refresh", "limit": 3, "long": "x " * 500}
    plan = make_plan("given", [make_item("a", inputs=given)])
    lines = told(plan, {"a": [answer_done(1, {"result": "x"})]})
    assert lines[1].strip().startswith("given change: tighten the refresh, limit: 3, long: x x")
    assert lines[2].strip().endswith(" ..")
    assert max(map(len, lines)) <= 100


def test_a_further_attempt_says_which_it_is(
    told: Told,
    make_item: Callable[..., Any],
    make_plan: Callable[..., Plan],
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> None:
    plan = make_plan("again", [make_item("a", retry=Retry(2))])
    answers = {"a": [answer_lost(1, "exit status 1"), answer_done(1, {"result": "x"})]}
    assert [line.split(maxsplit=2)[2] for line in told(plan, answers)][2] == (
        "started    attempt 2, its own program may: nothing"
    )


def test_each_element_has_its_lines(
    told: Told,
    make_item: Callable[..., Any],
    make_plan: Callable[..., Plan],
    answer_done: Callable[..., Any],
) -> None:
    plan = make_plan("many", [make_item("scan", pattern="each", for_each=["a", "b"])])
    answers = {f"scan.{n}": [answer_done(n + 1, {"result": "x"})] for n in range(2)}
    assert [line.split()[1:3] for line in told(plan, answers)] == [
        ["scan.0", "started"],
        ["scan.1", "started"],
        ["scan.0", "accepted"],
        ["scan.1", "accepted"],
        ["scan", "accepted"],
    ]
