import json
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.__main__ import main
from forge_cli.canonical import digest
from forge_cli.evidence import record
from forge_cli.evidence.environment import environment
from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import MARKER
from forge_cli.ledger import runs
from forge_cli.ledger.artifacts import ArtifactFolder
from forge_cli.ledger.store import Store
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.plan_document import plan_document
from forge_cli.multiagent.times import to_text

START = 1_796_047_923_000

Recorded = Callable[..., Head]


@pytest.fixture
def record_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Records a run without items, in a ledger of the current folder, with its evidence."""
    monkeypatch.chdir(tmp_path)

    def run(run_id: str, now: int = START) -> Head:
        plan = Plan("hello", "1.0.0", {}, {}, {})
        plan = Plan("hello", "1.0.0", {}, {}, {}, digest=digest(plan_document(plan)))
        body = {
            "run": run_id,
            "plan": plan.digest,
            "inputs": {},
            "env": {},
            "deadline": to_text(plan.deadline.resolve(now)),
        }
        ended = {"status": "complete", "missing": [], "reason": ""}
        home = runs.new(tmp_path, run_id)
        meta = {"evidence": f"evidence/hello/{run_id}"}
        with Store.create(home.ledger, run_id, "pid 1", now, meta) as store:
            started = Event(now, "run_started", body=body)
            store.append([started, Event(now, "run_ended", body=ended)])
            return record.write(
                tmp_path / meta["evidence"],
                plan,
                store.lines(),
                ArtifactFolder(home.artifacts),
                environment("local", "off, not enforced", wall=1, cpu=1),
            ).head

    return run


def tamper(folder: str) -> None:
    path = Path(folder) / "run.json"
    path.write_bytes(path.read_bytes().replace(b"complete", b"degraded"))


def test_the_latest_run_is_verified(
    record_run: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    record_run("r-2", START + 1)
    record_run("r-1", START)
    assert main(["verify"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].endswith("evidence/hello/r-2  13 checks")
    assert out[0].startswith("VERIFIED  ")
    assert all(line.startswith("  ok     ") for line in out[1:])


def test_the_latest_run_is_found_from_a_folder_below(
    record_run: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_run("r-1")
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path / "src")
    assert main(["verify"]) == 0


def test_changed_evidence_exits_1_and_names_the_place(
    record_run: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    record_run("r-1")
    tamper("evidence/hello/r-1")
    assert main(["verify", "evidence/hello/r-1", "--quiet"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "FAILED  evidence/hello/r-1  1 of 13 checks",
        "  WRONG  run         run.json:37: this does not follow from plan.json and events.jsonl",
    ]


def test_a_folder_that_holds_evidence_has_all_of_it_verified(
    record_run: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    record_run("r-1")
    record_run("r-2")
    record_run("r-3")
    tamper("evidence/hello/r-2")
    assert main(["verify", "evidence", "evidence/hello/r-1"]) == 1
    verdicts = [line for line in capsys.readouterr().out.splitlines() if not line.startswith(" ")]
    assert verdicts == [
        "VERIFIED  evidence/hello/r-1  13 checks",
        "FAILED  evidence/hello/r-2  1 of 13 checks",
        "VERIFIED  evidence/hello/r-3  13 checks",
    ]


def test_a_folder_that_lost_a_file_is_still_evidence(
    record_run: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    record_run("r-1")
    Path("evidence/hello/r-1/events.jsonl").unlink()
    assert main(["verify", "evidence"]) == 1
    assert "events.jsonl is missing" in capsys.readouterr().out


def test_nothing_found_exits_5(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify"]) == 5
    assert "nothing to check: no evidence was found" in capsys.readouterr().err
    assert main(["verify", "."]) == 5
    assert main(["verify", ".", "--allow-empty"]) == 0


def test_the_head_that_was_kept_is_compared(
    record_run: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    head = record_run("r-1")
    assert main(["verify", "--head", str(head)]) == 0
    assert main(["verify", "--head", head.root]) == 0
    assert main(["verify", "--head", "0" * 64]) == 1
    assert "is not the head that was given" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--head", "abc"], "--head 'abc' is not a head"),
        (["--head", "0" * 64, "evidence"], "--head is the head of one run, and 2 folders"),
        (["nowhere"], "'nowhere' does not exist; name a folder of evidence"),
        (["evidence/hello/r-1/run.json"], "run.json' is a file; name a folder"),
        (["--format", "xml"], "'xml' is not one of text, json"),
    ],
)
def test_wrong_usage_exits_2(
    record_run: Recorded,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    sentence: str,
) -> None:
    record_run("r-1")
    record_run("r-2")
    assert main(["verify", *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_a_run_without_evidence_is_said_to_have_none(
    record_run: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home = runs.new(tmp_path, "r-9")
    Store.create(home.ledger, "r-9", "pid 1", START).close()
    assert main(["verify"]) == 2
    assert "run 'r-9' has no evidence yet" in capsys.readouterr().err


def test_json_has_every_check(record_run: Recorded, capsys: pytest.CaptureFixture[str]) -> None:
    record_run("r-1")
    tamper("evidence/hello/r-1")
    assert main(["verify", "evidence", "--format", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    (found,) = document["evidence"]
    assert (document["format_version"], found["path"]) == (1, "evidence/hello/r-1")
    assert [check["name"] for check in found["checks"] if not check["ok"]] == ["run"]


def test_write_has_verification_json_say_what_was_found(record_run: Recorded) -> None:
    record_run("r-1")
    verification = Path("evidence/hello/r-1/verification.json")
    assert main(["verify"]) == 0
    assert not verification.exists()
    assert main(["verify", "--write"]) == 0
    first = verification.read_bytes()
    assert json.loads(first)["ok"] is True
    assert main(["verify", "--write"]) == 0
    assert verification.read_bytes() == first


def test_names_of_folders_cannot_write_to_the_terminal(
    record_run: Recorded, capsys: pytest.CaptureFixture[str]
) -> None:
    record_run("r-1")
    Path("evidence/hello/r-1").rename("evidence/\x1b[31m")
    assert main(["verify", "evidence"]) == 0
    assert "\x1b" not in capsys.readouterr().out


@pytest.mark.parametrize("paths", [[], ["evidence"], ["evidence/hello/r-2"]])
def test_evidence_that_was_not_finished_is_told_as_none_and_not_as_wrong(
    record_run: Recorded, capsys: pytest.CaptureFixture[str], paths: list[str]
) -> None:
    record_run("r-1")
    record_run("r-2", START + 1)
    torn = Path("evidence/hello/r-2")
    (torn / "run.json").unlink()
    (torn / MARKER).touch()
    assert main(["verify", *paths]) == 2
    told = capsys.readouterr()
    assert "WRONG" not in told.out
    assert ("VERIFIED  evidence/hello/r-1" in told.out) == (paths == ["evidence"])
    assert "there is no evidence yet in 'evidence/hello/r-2': writing it was not" in told.err
