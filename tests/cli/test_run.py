"""Options of `forge run` that change what is run, and what they refuse."""

from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.__main__ import main

Call = Callable[..., tuple[int, str, str]]

MANIFEST = """forge: 1
inputs: {who: {default: world}}
work_items:
  greet: {run: [echo, "hello ${inputs.who}"], capabilities: []}
"""


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Call:
    """`forge run m.yaml` in a folder that holds it: exit code, standard output, error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FORGE_MAX_CONCURRENCY", raising=False)
    (tmp_path / "m.yaml").write_text(MANIFEST)

    def run(*options: str) -> tuple[int, str, str]:
        code = main(["run", "m.yaml", *options])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def test_a_dry_run_shows_the_plan_of_just_this_run_and_starts_nothing(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "in.json").write_text('{"who": "moon"}')
    code, out, _ = call("--dry-run", "--jobs", "2", "--inputs", "in.json")
    assert code == 0
    assert "inputs         who moon\n" in out
    assert out.endswith(", 2 at once\n")
    assert not (tmp_path / ".forge").exists()


def test_a_dry_run_names_the_plan_that_the_run_then_has(call: Call) -> None:
    (title, *_) = call("--dry-run", "--jobs", "2")[1].splitlines()
    digest = title.split()[2]
    assert f"plan {digest}" in call("--jobs", "2")[2]


def test_a_deadline_that_has_passed_by_now_is_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(MANIFEST + "deadline: 2099-01-01T00:00:00Z\n")
    code, out, _ = call("--now", "2100-01-01T00:00:00Z")
    assert code == 2
    assert "deadline 2099-01-01T00:00:00Z has passed: it is 2100-01-01T00:00:00Z" in out


def test_now_is_a_time_with_an_offset(call: Call) -> None:
    code, _, err = call("--now", "2100-01-01")
    assert code == 2
    assert "write  2026-11-30T14:00:00Z" in err


def test_evidence_goes_where_it_is_wanted(call: Call, tmp_path: Path) -> None:
    assert call("--evidence", "kept")[0] == 0
    assert (tmp_path / "kept" / "run.json").is_file()


def test_a_run_id_is_used_once(call: Call) -> None:
    assert call("--run-id", "one")[0] == 0
    code, _, err = call("--run-id", "one")
    assert code == 2
    assert "'one'" in err


def test_an_unknown_engine_is_refused_and_the_known_one_named(call: Call) -> None:
    code, _, err = call("--engine", "temporal")
    assert code == 2
    assert "'temporal' is not one of local" in err


@pytest.mark.usefixtures("unheld")
@pytest.mark.parametrize("heartbeat", [0, 60_000])
def test_a_run_whose_ledger_a_handler_removes_is_no_success_and_has_evidence(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, heartbeat: int
) -> None:
    monkeypatch.setattr("forge_cli.engines.local.HEARTBEAT", heartbeat)
    (tmp_path / "m.yaml").write_text(
        "forge: 1\nwork_items:\n"
        "  rude: {run: [rm, -rf, .forge], capabilities: []}\n"
        '  next: {run: ["true"], capabilities: [], depends_on: [rude]}\n'
    )
    code, out, err = call("--run-id", "r")
    assert (code, out) == (2, "")
    assert "ledger.db' was removed or replaced while the run was going on" in err
    assert (tmp_path / "evidence" / "m" / "r" / "run.json").exists()


@pytest.mark.usefixtures("unheld")
def test_a_run_whose_folder_a_handler_removes_ends_with_a_sentence(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "m.yaml").write_text(
        "forge: 1\nwork_items:\n  rude: {script: 'rm -rf \"$PWD\"', capabilities: []}\n"
    )
    code, out, err = call()
    assert (code, out) == (2, "")
    assert "ledger.db' was removed or replaced while the run was going on" in err


@pytest.mark.usefixtures("unheld")
def test_a_run_tells_its_end_also_where_a_handler_removes_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    monkeypatch.chdir(inner)
    manifest = tmp_path / "m.yaml"
    manifest.write_text("forge: 1\nwork_items:\n  rude: {run: [rmdir, inner], capabilities: []}\n")
    code = main(["run", str(manifest), "--workspace", str(tmp_path), "--run-id", "r"])
    out = capsys.readouterr().out
    assert code == 0
    assert f"evidence  {tmp_path}/evidence/m/r\n" in out


INTERFERING = """forge: 1
work_items:
  greet: {run: [echo, hello], capabilities: []}
  spoil:
    script: find .forge/runs/spoilt/artifacts -type f -exec sh -c 'echo other > "$0"' {} ";"
    capabilities: []
    depends_on: [greet]
"""


@pytest.mark.usefixtures("unheld")
def test_a_run_whose_evidence_does_not_hold_failed_however_its_items_ended(
    call: Call, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.yaml").write_text(INTERFERING)
    code, out, _ = call("--run-id", "spoilt")
    first, fault, command, *_ = out.splitlines()
    assert code == 1
    told = "the evidence does not hold; its items ended complete: 2 of 2 items accepted"
    assert first == f"FAILED  {told}" + "exit 1".rjust(16)
    assert fault.startswith("  wrong   artifacts: items/greet/stdout.txt")
    assert command == "  verify  forge verify evidence/m/spoilt"
    main(["show", "-q"])
    assert capsys.readouterr().out == out


@pytest.mark.usefixtures("unheld")
def test_evidence_that_does_not_hold_is_told_beside_the_event_lines(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "m.yaml").write_text(INTERFERING)
    code, _, err = call("--run-id", "spoilt", "--format", "jsonl")
    assert code == 1
    assert err.startswith("forge: error: the evidence does not hold: artifacts: items/greet/")
