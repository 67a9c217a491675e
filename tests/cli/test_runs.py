"""`forge runs`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forge_cli.app.runs import Listed, listed, short_name, workspace
from forge_cli.cli.runs import runs_json, runs_lines
from forge_cli.cli.terminal import Terminal
from forge_cli.ledger.runs import RunFolder
from forge_cli.multiagent.plan import Plan

START = 1_796_047_923_000

Keep = Callable[..., RunFolder]


def test_runs_are_listed_newest_first_with_status_and_length(
    keep: Keep,
    play: Callable[..., Any],
    hello: Plan,
    fix: Plan,
    fix_answers: dict[str, Any],
    answer_lost: Callable[..., Any],
    tmp_path: Path,
) -> None:
    keep(play(fix, fix_answers))
    lost = {"greet": [answer_lost(1, "exit status 1")]}
    keep(play(hello, lost, run_id="20261130-141204-c2d8"))
    expected = """\
run                   manifest  status       began                       took
20261130-141204-c2d8  hello     failed       2026-11-30 14:12:03 UTC     0:01
20261130-141203-7f3a  fix       complete     2026-11-30 14:12:03 UTC     3:15
"""
    assert runs_lines([*listed(tmp_path, START)], Terminal()) == expected.splitlines()


def test_a_run_without_an_end_is_running_while_its_lease_holds(
    keep: Keep, play: Callable[..., Any], fix: Plan, fix_answers: dict[str, Any], tmp_path: Path
) -> None:
    keep(play(fix, fix_answers), events=2)
    assert [run.status for run in listed(tmp_path, START + 1000)] == ["running"]
    assert [run.status for run in listed(tmp_path, START + 3_600_000)] == ["abandoned"]


def test_a_ledger_that_cannot_be_read_is_listed_as_such(tmp_path: Path) -> None:
    folder = tmp_path / ".forge" / "runs" / "20261130-1-aaaa"
    folder.mkdir(parents=True)
    ledger = folder / "ledger.db"
    ledger.write_bytes(b"no database")
    sentence = (
        f"'{ledger}' is not a ledger of forge: it has no SQLite header; name the folder of a run"
    )
    assert list(listed(tmp_path, 0)) == [Listed("20261130-1-aaaa", ledger=ledger, fault=sentence)]


def test_nothing_here_says_what_makes_a_run() -> None:
    assert runs_lines([], Terminal()) == ["nothing has run here yet; `forge run` makes a run"]


def test_json_has_an_object_for_each_run() -> None:
    places = (Path("/w/ledger.db"), Path("/w/evidence"))
    full = Listed("r-1", "fix", "complete", START, START + 1, "sha256:4c1d", *places)
    lines = runs_json([full, Listed("r-2")])
    assert [json.loads(line) for line in lines] == [
        {
            "run": "r-1",
            "name": "fix",
            "status": "complete",
            "began": "2026-11-30T14:12:03.000Z",
            "last_event": "2026-11-30T14:12:03.001Z",
            "plan": "sha256:4c1d",
            "ledger": "/w/ledger.db",
            "evidence": "/w/evidence",
        },
        {
            "run": "r-2",
            "name": "",
            "status": "unreadable",
            "began": None,
            "last_event": None,
            "plan": None,
            "ledger": None,
            "evidence": None,
        },
    ]


def test_a_run_is_named_by_the_shortest_end_that_no_other_has(
    keep: Keep, play: Callable[..., Any], fix: Plan, fix_answers: dict[str, Any], tmp_path: Path
) -> None:
    keep(play(fix, fix_answers, run_id="20261130-141203-7f3a"), events=1)
    assert short_name(tmp_path, "20261130-141203-7f3a") == "7f3a"
    keep(play(fix, fix_answers, run_id="20261130-141209-7f3a"), events=1)
    assert short_name(tmp_path, "20261130-141203-7f3a") == "3-7f3a"


def test_the_workspace_is_the_nearest_folder_above_in_which_something_ran(tmp_path: Path) -> None:
    (tmp_path / ".forge" / "runs").mkdir(parents=True)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert workspace(below) == tmp_path
    (below / ".forge" / "runs").mkdir(parents=True)
    assert workspace(below) == below
