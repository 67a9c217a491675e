"""Resuming: nothing that was done is done again, nothing that was begun is forgotten."""

import json
import signal
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.field_reports.chains import CHAIN, crashed, holding, log
from tests.field_reports.processes import Ended, Forge, stop


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_a_run_goes_on_where_it_was_left(forge: Forge, number: int) -> None:
    """microsoft/agent-framework#1695: resuming ran the first executor again."""
    crashed(forge, number)
    resumed = forge("resume")
    assert resumed.code == 0
    assert log(forge) == ["a", "b", "b", "c"]
    assert forge.record()["run"]["outputs"] == {"last": "done"}
    holding(forge)


def test_the_attempt_is_another_and_its_key_is_the_same(forge: Forge) -> None:
    crashed(forge)
    assert forge("resume", "r").code == 0
    assert (forge.folder / "keys").read_text().splitlines() == [
        "r/b/1 r/b/turn-1",
        "r/b/2 r/b/turn-1",
    ]


def test_what_must_not_be_done_twice_waits_for_a_person(forge: Forge) -> None:
    """behaviour 12: an effect whose fate is unknown is never called success or failure."""
    crashed(forge, on_crash="hold")
    paused = forge("resume")
    assert paused.code == 4
    assert log(forge) == ["a", "b"]
    assert forge.record()["items"]["b"]["status"] == "indeterminate"
    holding(forge)
    command = next(line for line in paused.out.splitlines() if line.startswith("  go on "))
    assert "forge resume r --rerun b" in command
    assert forge("resume", "r", "--rerun", "b").code == 0
    assert log(forge) == ["a", "b", "b", "c"]
    holding(forge)


def test_a_person_gives_the_result_of_what_was_lost(forge: Forge) -> None:
    crashed(forge, on_crash="hold")
    forge.write("wrong.json", '{"results": "by hand"}')
    refused = forge("resume", "r", "--accept", "b", "wrong.json")
    assert refused.code == 2
    assert "'wrong.json' is no result of 'b'" in refused.err
    forge.write("b.json", '{"result": "by hand"}')
    assert forge("resume", "r", "--accept", "b", "b.json").code == 0
    assert forge.record()["run"]["outputs"] == {"last": "by hand"}
    assert forge.record()["decisions"][0]["decision"] == "accept"
    assert log(forge) == ["a", "b", "c"]
    holding(forge)


def test_a_run_that_was_killed_before_its_first_event_starts(forge: Forge) -> None:
    forge.write("m.forge.yaml", CHAIN.format(on_crash="rerun"))
    forge.write("go", "")
    assert forge("run", "--run-id", "r", "--input", "word=y").code == 0
    (ledger,) = forge.folder.glob(".forge/runs/*/ledger.db")
    connection = sqlite3.connect(ledger)
    with connection:
        connection.execute("DELETE FROM events")
    connection.close()
    assert forge("resume").code == 0
    assert forge.record()["items"]["a"]["output"] == {"result": "y"}
    assert forge.record()["run"]["inputs"] == {"word": "y"}
    holding(forge)


def test_evidence_that_was_not_finished_is_written(forge: Forge) -> None:
    forge.write("m.forge.yaml", CHAIN.format(on_crash="rerun"))
    forge.write("go", "")
    forge("run", "--run-id", "r")
    (run,) = forge.folder.glob("evidence/*/r/run.json")
    run.unlink()
    before = log(forge)
    assert forge("resume").code == 0
    assert log(forge) == before
    holding(forge)


@pytest.mark.parametrize("word", ["nope", ""])
def test_an_unknown_run_is_never_a_new_one(forge: Forge, word: str) -> None:
    """aegra/aegra#320: resuming nothing was taken for a fresh start."""
    crashed(forge)
    assert forge("resume", word).code == 2
    assert len(list(forge.folder.glob(".forge/runs/*"))) == 1


def test_a_final_run_says_what_starts_anew(forge: Forge) -> None:
    """dbt-labs/dbt-core#7785: a retry ran a success again."""
    crashed(forge)
    forge("resume")
    again = forge("resume")
    assert again.code == 2
    assert "run 'r' ended complete, which is final" in again.err
    assert log(forge) == ["a", "b", "b", "c"]


def test_a_changed_manifest_is_refused_by_name(forge: Forge) -> None:
    crashed(forge)
    text = CHAIN.format(on_crash="rerun").replace("echo c >> log", "echo C >> log")
    forge.write("m.forge.yaml", text)
    refused = forge("resume")
    assert refused.code == 2
    assert "makes another plan by now than that of run 'r': role 'inline:c' changed" in refused.err
    assert log(forge) == ["a", "b"]


def test_limits_of_the_first_call_hold(forge: Forge) -> None:
    forge.write("m.forge.yaml", CHAIN.format(on_crash="rerun"))
    process = forge.start("run", "--run-id", "r", "--jobs", "1")
    forge.pid("b.pid")
    stop(process)
    forge.write("go", "")
    assert forge("resume").code == 0


def test_nothing_is_left_of_the_killed_attempt(forge: Forge, tmp_path: Path) -> None:
    forge.write("m.forge.yaml", CHAIN.format(on_crash="rerun"))
    folder = tmp_path / "temporary"
    folder.mkdir()
    env = {"TMPDIR": str(folder)}
    process = forge.start("run", "--run-id", "r", env=env)
    forge.pid("b.pid")
    stop(process)
    forge.write("go", "")
    (folder / "forge-of-another").mkdir()
    assert [p for p in folder.iterdir() if p.name != "forge-of-another"]
    assert forge("resume", env=env).code == 0
    assert [p.name for p in folder.iterdir()] == ["forge-of-another"]


@pytest.mark.parametrize("event", range(1, 12, 2))
def test_wherever_it_is_killed_it_ends_as_if_it_had_not_been(
    forge: Forge, event: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """snakemake/snakemake#1318: the way to recover that was recommended did not recover."""
    forge.write("go", "")
    forge.write("m.forge.yaml", CHAIN.format(on_crash="rerun"))
    process = forge.start("run", "--run-id", "r", "--format", "jsonl")
    _read(process, event)
    stop(process)
    resumed = forge("resume", "r")
    if "ended complete" not in resumed.err:
        assert resumed.code == 0
    other = Forge(tmp_path_factory.mktemp("undisturbed"))
    other.write("go", "")
    other.write("m.forge.yaml", CHAIN.format(on_crash="rerun"))
    other("run", "--run-id", "r")
    assert _outcome(forge) == _outcome(other)
    holding(forge)


def _read(process: "subprocess.Popen[bytes]", lines: int) -> None:
    assert process.stdout
    for _ in range(lines):
        process.stdout.readline()


def _outcome(forge: Forge) -> dict[str, Any]:
    record = forge.record()
    items = {name: (row["status"], row["output"]) for name, row in record["items"].items()}
    run = record["run"]
    state = record["state_version"]
    return {"items": items, "state": state, "is": run["status"], "outputs": run["outputs"]}


def json_lines(ended: Ended) -> list[dict[str, Any]]:
    return [json.loads(line) for line in ended.out.splitlines()]


def test_the_events_of_going_on_are_shown(forge: Forge) -> None:
    crashed(forge)
    lines = json_lines(forge("resume", "--format", "jsonl"))
    kinds = [line["kind"] for line in lines]
    assert kinds[:2] == ["run_resumed", "turn_lost"]
    assert kinds[-1] == "run_ended"
    shown = forge("show", "-v")
    assert "resumed    controller epoch 2" in shown.out
    assert "lost" in shown.out
