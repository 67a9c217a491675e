"""The commands `init`, `plan`, `runs` and `show` from their command lines."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main
from forge_cli.ledger import runs
from forge_cli.ledger.store import Store
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.plan_document import plan_document

START = 1_796_047_923_000

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def ran(
    here: Path,
    play: Callable[..., Any],
    hello: Plan,
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> Path:
    """A folder in which a run failed."""
    run = play(
        hello,
        {
            "greet": [answer_done(1, {"result": "hello moon"})],
            "check": [answer_lost(1, "exit status 1")],
        },
    )
    meta = {"name": "hello", "plan": json.dumps(plan_document(hello))}
    folder = runs.new(here, run.run_id)
    store = Store.create(folder.ledger, run.run_id, "host:1", START, meta)
    store.append(list(run.events()))
    store.close()
    return here


def test_what_init_writes_can_be_planned(here: Path, capsys: Capture) -> None:
    assert main(["init"]) == 0
    assert main(["plan"]) == 0
    assert "hello  plan " in capsys.readouterr().out


def test_init_twice_keeps_what_is_there(here: Path, capsys: Capture) -> None:
    assert main(["init"]) == 0
    capsys.readouterr()
    assert main(["init"]) == 0
    first, *_ = capsys.readouterr().out.splitlines()
    assert first.startswith("kept   .forge/manifest.schema.json")


def test_a_plan_as_json_holds_the_plan_and_its_explanation(here: Path, capsys: Capture) -> None:
    assert main(["init", "sub"]) == 0
    capsys.readouterr()
    command = ["plan", "sub/hello.forge.yaml", "--input", "who=moon", "--format", "json"]
    assert main(command) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["plan"]["name"] == "hello"
    assert told["inputs"] == {"who": "moon"}
    assert told["orders"] == {"greet": 1, "check": 2}
    assert told["critical_path"]["items"] == ["greet", "check"]
    assert {"name": "bash", "state": "found", "ok": True} in told["needed"]


def test_a_manifest_with_findings_has_no_plan(here: Path, capsys: Capture) -> None:
    (here / "bad.forge.yaml").write_text("forge: 1\nwork_items:\n  a: {needs: [b]}\n")
    assert main(["plan"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (
        "bad.forge.yaml:3:7: error: unknown key 'needs' in item 'a' [unknown-key]" in captured.err
    )
    assert "'bad.forge.yaml' is not valid, so there is no plan of it" in captured.err


def test_an_input_that_is_needed_and_not_given_is_told(here: Path, capsys: Capture) -> None:
    text = "forge: 1\ninputs: {issue: {}}\nwork_items:\n  a: {run: [echo, x], capabilities: []}\n"
    (here / "fix.forge.yaml").write_text(text)
    assert main(["plan"]) == 0
    assert " inputs         issue not given, needed" in capsys.readouterr().out


def test_an_unknown_input_is_refused(here: Path, capsys: Capture) -> None:
    main(["init"])
    assert main(["plan", "-i", "whom=x"]) == 2
    assert "'hello' has no input 'whom'; it has: 'who'" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["plan", "runs", "show"])
def test_an_unknown_format_is_refused(command: str, here: Path, capsys: Capture) -> None:
    assert main([command, "--format", "xml"]) == 2
    assert "'xml' is not one of text" in capsys.readouterr().err


def test_runs_lists_what_ran(ran: Path, capsys: Capture) -> None:
    assert main(["runs"]) == 0
    assert "20261130-141203-7f3a  hello     failed" in capsys.readouterr().out


def test_show_without_a_run_is_about_the_latest(ran: Path, capsys: Capture) -> None:
    assert main(["show"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("hello  run 20261130-141203-7f3a  plan b81f6a33  2 items")
    assert "  look  forge show 7f3a check" in shown


def test_what_a_verdict_says_to_type_works(ran: Path, capsys: Capture) -> None:
    assert main(["show", "7f3a", "check"]) == 0
    assert capsys.readouterr().out.startswith("check  FAILED\n  error: exit status 1\n")


def test_events_are_shown_as_the_ledger_has_them(ran: Path, capsys: Capture) -> None:
    assert main(["show", "--format", "jsonl"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["kind"] == "run_ended"


def test_events_of_one_item_leave_out_the_others(ran: Path, capsys: Capture) -> None:
    assert main(["show", "7f3a", "greet", "--format", "jsonl"]) == 0
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {event["item"] for event in events} == {"greet"}


def test_following_a_run_that_has_ended_shows_all_of_it_and_ends(
    ran: Path, capsys: Capture
) -> None:
    assert main(["show", "--follow"]) == 0
    shown = capsys.readouterr().out
    assert "  0:01  greet     accepted   result, 10 B\n" in shown
    assert "FAILED  'check' failed and is required: exit status 1" in shown


def test_an_item_that_the_run_does_not_have_is_refused_with_the_nearest(
    ran: Path, capsys: Capture
) -> None:
    assert main(["show", "7f3a", "chekc"]) == 2
    assert "has no item 'chekc'; did you mean 'check'? It has: greet, check" in (
        capsys.readouterr().err
    )


def test_a_run_that_is_not_here_is_refused(ran: Path, capsys: Capture) -> None:
    assert main(["show", "ffff"]) == 2
    assert "no run's id ends in 'ffff'; the newest in '" in capsys.readouterr().err


def test_where_nothing_ran_there_is_nothing_to_show(here: Path, capsys: Capture) -> None:
    assert main(["runs"]) == 0
    assert main(["show"]) == 2
    assert "`forge run` makes one" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["validate", "plan", "run", "runs", "show", "verify"])
def test_a_working_folder_that_is_gone_is_told_in_one_sentence(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main([command]) == 2
    assert capsys.readouterr().err == (
        "forge: error: the working folder was removed; change to one that exists (cd) and type it "
        "again\n"
    )
