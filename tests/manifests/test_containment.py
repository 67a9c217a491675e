"""The manifests of containment: what each recovery leads to, on a copy."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main

Forge = Callable[..., tuple[int, str]]


@pytest.fixture
def forge(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Forge:
    """A command line in the copy: exit status and standard output."""
    monkeypatch.chdir(workspace)
    (workspace / ".git").mkdir(exist_ok=True)

    def run(*words: str) -> tuple[int, str]:
        code = main(list(words))
        return code, capsys.readouterr().out

    return run


def record(workspace: Path, name: str) -> dict[str, Any]:
    (path,) = workspace.glob(f"evidence/{name}/*/run.json")
    found: dict[str, Any] = json.loads(path.read_bytes())
    return found


def command(printed: str, label: str) -> list[str]:
    """The words behind a label of the verdict, without the program."""
    line = next(line for line in printed.splitlines() if line.startswith(f"  {label} "))
    return line.partition(" forge ")[2].split("  ")[0].split()


def test_what_awaits_an_approval_goes_on_as_the_verdict_says(forge: Forge, workspace: Path) -> None:
    code, printed = forge("run", "manifests/containment/approval.yaml")
    assert code == 4
    assert "'tell' awaits an approval" in printed
    assert forge(*command(printed, "approve"))[0] == 0
    output = record(workspace, "approval")["items"]["tell"]["output"]
    assert output == {"result": "told. The shop is closed on Monday."}


def test_what_is_declined_degrades_a_run_that_does_not_require_it(
    forge: Forge, workspace: Path
) -> None:
    _, printed = forge("run", "manifests/containment/approval.yaml")
    assert forge(*command(printed, "decline"))[0] == 3
    assert record(workspace, "approval")["items"]["tell"]["status"] == "denied"


def test_what_escalated_is_made_again_and_told_why(forge: Forge, workspace: Path) -> None:
    code, printed = forge("run", "manifests/containment/escalation.yaml")
    assert code == 4
    assert forge(*command(printed, "go on"))[0] == 0
    output = record(workspace, "escalation")["items"]["publish"]["output"]
    assert output == {"result": "The shop is closed. (the day)"}


def test_the_result_of_what_escalated_can_be_given(forge: Forge, workspace: Path) -> None:
    forge("run", "manifests/containment/escalation.yaml")
    (workspace / "note.json").write_text('{"result": "The shop is closed on Monday."}')
    assert forge("resume", "--accept", "write", "note.json")[0] == 0
    output = record(workspace, "escalation")["items"]["publish"]["output"]
    assert output == {"result": "The shop is closed on Monday."}


DENIED = "manifests/containment/denied-write.yaml"
PRICE = "manifests/containment/desk/price.txt"


def test_what_was_denied_a_write_stands_still_and_what_does_not_hang_on_it_goes_on(
    forge: Forge, workspace: Path
) -> None:
    before = desk(workspace)
    assert forge("run", DENIED)[0] == 4
    found = record(workspace, "denied-write")
    ends = {name: item["status"] for name, item in found["items"].items()}
    call = {"draft.call-1-1": "failed"}
    assert ends == {"draft": "paused", "publish": "waiting", "weather": "succeeded"} | call
    (denial,) = found["gateway_denials"]
    assert (denial["action"], denial["link"], denial["key"]) == (
        "file-write",
        "item:draft",
        "writes",
    )
    assert found["escalations"][0]["item"] == "draft"
    assert desk(workspace) == before


def test_what_was_denied_is_made_again_from_its_start_under_a_smaller_grant(
    forge: Forge, workspace: Path
) -> None:
    _, printed = forge("run", DENIED)
    go_on = command(printed, "go on")
    assert go_on[-2:] == ["--reissue", "draft"]
    own = "files:manifests/containment/desk/draft.txt"
    assert forge(*go_on, "--narrow", f"scope={own}")[0] == 0
    assert desk(workspace)["draft.txt"] == "The price stays.\n"
    assert forge("verify")[0] == 0


def test_what_was_denied_is_the_decision_that_is_awaited(forge: Forge) -> None:
    _, printed = forge("run", DENIED, "--run-id", "r1r1")
    first, *rows = printed.splitlines()
    assert first.startswith("PAUSED  1 decision is awaited: 'draft' was denied a write  ")
    assert [row.strip() for row in rows[:6]] == [
        "look     forge show r1r1 draft              what it tried, and who refused",
        "go on    forge resume r1r1 --reissue draft  again from its start, told of the denial; not"
        " wider",
        "narrow   forge resume r1r1 --reissue draft --narrow KEY=VALUE",
        "accept   forge resume r1r1 --accept draft FILE  it is done: its outputs, as JSON",
        "give up  forge resume r1r1 --deny draft     undo nothing, end the run as failed",
        f"widen    edit line 18, then forge run {DENIED} --reuse r1r1",
    ]


def test_a_run_that_was_helped_over_a_denial_says_so(forge: Forge) -> None:
    _, printed = forge("run", DENIED)
    _, printed = forge(*command(printed, "go on"))
    assert printed.startswith("COMPLETE  3 of 3 items accepted, 1 denial, 1 reissue  ")


def test_what_was_denied_is_declined(forge: Forge, workspace: Path) -> None:
    _, printed = forge("run", DENIED)
    assert forge(*command(printed, "give up"))[0] == 1
    assert record(workspace, "denied-write")["items"]["draft"]["status"] == "denied"


def test_what_was_denied_is_shown_with_who_refused(forge: Forge) -> None:
    forge("run", DENIED, "--run-id", "r")
    _, printed = forge("show", "r", "draft")
    assert "refused by the writes of item 'draft'" in " ".join(printed.split())


def test_a_denial_is_told_with_the_line_that_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(workspace)
    (workspace / ".git").mkdir(exist_ok=True)
    main(["run", DENIED])
    told = " ".join(capsys.readouterr().err.split())
    lines = (workspace / DENIED).read_text().splitlines()
    number = next(n for n, line in enumerate(lines, start=1) if line.strip().startswith("writes:"))
    own = "files:manifests/containment/desk/draft.txt"
    assert f"DENIED write '{PRICE}' not in its writes: {own} refused by the writes" in told
    assert f"of item 'draft' ({DENIED}:{number}) nothing was changed; call 1 of this" in told
    assert "draft paused branch stopped; what it changed is kept as it is" in told


def desk(workspace: Path) -> dict[str, str]:
    folder = workspace / "manifests/containment/desk"
    return {path.name: path.read_text() if path.is_file() else "" for path in folder.iterdir()}


def test_what_failed_after_it_changed_files_leaves_them_as_they_were(
    forge: Forge, workspace: Path
) -> None:
    before = desk(workspace)
    other = workspace / "manifests/notes.txt"
    other.write_text("a person's, and not committed")
    code, printed = forge("run", "manifests/containment/restore.yaml")
    assert code == 1
    assert "compensation: complete" in " ".join(printed.split())
    assert desk(workspace) == before
    assert other.read_text() == "a person's, and not committed"
    assert record(workspace, "restore")["items"]["announce"]["status"] == "blocked"


def test_a_branch_that_failed_is_undone_newest_first(forge: Forge, workspace: Path) -> None:
    before = desk(workspace)
    assert forge("run", "manifests/containment/undo.yaml")[0] == 1
    rows = record(workspace, "undo")["compensations"]
    assert [(row["item"], row["status"]) for row in rows] == [
        ("party.cake", "done"),
        ("party.room", "done"),
    ]
    assert desk(workspace) == before


def test_what_could_not_be_undone_goes_on_as_the_verdict_says(
    forge: Forge, workspace: Path
) -> None:
    before = desk(workspace)
    code, printed = forge("run", "manifests/containment/undo.yaml", "-i", "bakery=open")
    assert code == 1
    assert "  not undone  party.cake  exit status 1" in printed.splitlines()
    assert "  not undone  party.room  not started" in printed.splitlines()
    assert {"cake", "room"} <= desk(workspace).keys()
    (workspace / "open").touch()
    again, _ = forge(*command(printed, "go on"))
    assert again == 1, "it was undone, and has failed all the same"
    assert desk(workspace) == before
    found = record(workspace, "undo")
    assert (found["run"]["status"], found["run"]["compensation"]) == ("failed", "complete")
    assert forge("verify")[0] == 0


def test_the_later_of_two_edits_is_made_again_on_the_new_version(
    forge: Forge, workspace: Path
) -> None:
    code, printed = forge("run", "manifests/containment/conflict.yaml")
    assert code == 4
    assert record(workspace, "conflict")["state_versions"][-1]["item"] == "quick"
    assert forge(*command(printed, "go on"))[0] == 0
    versions = record(workspace, "conflict")["state_versions"]
    assert [(v["item"], v["read"]) for v in versions] == [("quick", 0), ("slow", 1)]


def test_the_owner_decides_between_two_edits(forge: Forge, workspace: Path) -> None:
    forge("run", "manifests/containment/conflict.yaml")
    (workspace / "plan.json").write_text('{"plan": "closed on Monday and Tuesday"}')
    assert forge("resume", "--accept", "slow", "plan.json")[0] == 0
    output = record(workspace, "conflict")["items"]["slow"]["output"]
    assert output == {"plan": "closed on Monday and Tuesday"}


def killed(workspace: Path, item: str, waits_for: str) -> None:
    """A run of `crash.yaml` of which forge is killed while the item waits for a file."""
    words = [sys.executable, "-m", "forge_cli", "run", "manifests/containment/crash.yaml"]
    process = subprocess.Popen(
        [*words, "-i", f"{waits_for}=there", "--format", "jsonl"],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert process.stdout
    for line in process.stdout:
        event = json.loads(line)
        if event["kind"] == "turn_started" and event["item"] == item:
            break
    process.kill()
    process.wait()
    process.stdout.close()
    (workspace / "there").touch()


def test_a_harmless_step_that_was_killed_is_made_again(forge: Forge, workspace: Path) -> None:
    killed(workspace, "weigh", "scales")
    assert forge("resume")[0] == 0
    assert record(workspace, "crash")["items"]["weigh"]["attempts"] == 2


@pytest.mark.parametrize("decision", ["rerun", "accept"])
def test_of_a_step_that_may_have_had_an_effect_a_person_is_asked(
    forge: Forge, workspace: Path, decision: str
) -> None:
    killed(workspace, "charge", "bank")
    code, printed = forge("resume")
    assert code == 4
    assert "'charge'" in printed
    if decision == "rerun":
        words = command(printed, "go on")
    else:
        (workspace / "charged.json").write_text('{"result": "charged for 2 kg"}')
        words = ["resume", "--accept", "charge", "charged.json"]
    assert forge(*words)[0] == 0
    assert record(workspace, "crash")["items"]["charge"]["output"] == {"result": "charged for 2 kg"}
