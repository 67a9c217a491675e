import errno
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.canonical import digest_of_bytes
from forge_cli.errors import ForgeError
from forge_cli.evidence import forms, record, verification
from forge_cli.evidence.conclusions import recorded
from forge_cli.evidence.environment import environment
from forge_cli.evidence.layout import MARKER, PLAN
from forge_cli.evidence.verify import verify
from forge_cli.ledger import durable
from forge_cli.ledger.durable import UNFINISHED
from forge_cli.ledger.lines import GENESIS, join, seal
from forge_cli.ledger.tree import Tree
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.turn import TurnResult


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


def test_a_run_leaves_these_files(evidence: Path) -> None:
    assert sorted(files(evidence)) == [
        "environment.json",
        "events.jsonl",
        "items/build/%4eotes%2f..%2fx",
        "items/build/output/result.json",
        "items/build/stderr.txt",
        "items/build/turn-1/%4eotes%2f..%2fx",
        "items/build/turn-1/stderr.txt",
        "items/research/stdout.txt",
        "plan.json",
        "run.json",
    ]


def test_the_log_holds_the_ledgers_lines(evidence: Path, events: list[Event]) -> None:
    lines = [line.text for line in seal(events, 1, GENESIS)]
    assert (evidence / "events.jsonl").read_text() == "".join(f"{line}\n" for line in lines)


def test_the_head_is_root_and_size_over_the_lines(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    folder, head = world.write(plan, events)
    tree = Tree()
    for line in (folder / "events.jsonl").read_bytes().splitlines():
        tree.add(line)
    assert (head.root, head.size) == (tree.root(), len(events))
    assert str(head) == f"forge-evidence-head {tree.root()} {len(events)}"


def test_the_same_events_give_the_same_bytes(world: Any, plan: Plan, events: list[Event]) -> None:
    first, second = (world.write(plan, events, name)[0] for name in ("one", "two"))
    assert files(first) == files(second)


def test_an_items_last_turn_is_on_top(evidence: Path) -> None:
    assert (evidence / "items/build/stderr.txt").read_text() == "attempt r-1/build/2\n"
    assert (evidence / "items/build/turn-1/stderr.txt").read_text() == "attempt r-1/build/1\n"


def test_an_output_too_large_for_the_events_is_kept_beside_them(evidence: Path) -> None:
    data = (evidence / "items/build/output/result.json").read_bytes()
    assert json.loads(data) == "x" * 300_000
    assert digest_of_bytes(data).encode() in (evidence / "events.jsonl").read_bytes()


def test_items_without_artifacts_have_no_folder(world: Any, make_plan: Any, make_item: Any) -> None:
    plan = make_plan(make_item("greet"))
    answer = TurnResult.done({"result": "hello"})
    folder, _ = world.write(plan, world.events(plan, {"greet": lambda turn: answer}))
    assert not (folder / "items").exists()


def test_every_file_has_the_form_of_its_schema(evidence: Path) -> None:
    verification.write(evidence, verify(evidence))
    for name in ("plan.json", "run.json", "environment.json", "verification.json"):
        assert forms.violation(name, (evidence / name).read_bytes()) == ""
    for line in (evidence / "events.jsonl").read_bytes().splitlines():
        assert forms.violation("events.jsonl", line) == ""


def test_every_file_says_the_version_of_its_format(evidence: Path) -> None:
    verification.write(evidence, verify(evidence))
    for path in evidence.glob("*.json"):
        assert json.loads(path.read_bytes())["format_version"] == 1


def test_evidence_of_the_same_run_is_replaced_whole(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    folder, _ = world.write(plan, events)
    before = files(folder)
    verification.write(folder, verify(folder))
    (folder / "items/research/old.txt").write_text("stale")
    (folder / "items/gone").mkdir()
    (folder / f"{UNFINISHED}x").write_text("half")
    world.write(plan, events)
    assert files(folder) == before
    assert not (folder / "items/gone").exists()


def test_evidence_of_another_manifest_is_not_overwritten(
    world: Any, seal_plan: Callable[[Plan], Plan], plan: Plan, events: list[Event]
) -> None:
    folder, _ = world.write(plan, events)
    before = files(folder)
    with pytest.raises(ForgeError, match="holds the evidence of 'trial', this run is of 'other'"):
        world.write(seal_plan(replace(plan, name="other")), events)
    assert files(folder) == before


def test_a_folder_with_other_files_is_not_written_to(
    world: Any, tmp_path: Path, plan: Plan, events: list[Event]
) -> None:
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "thesis.tex").touch()
    with pytest.raises(ForgeError, match=r"holds other files, 'thesis\.tex' for one"):
        world.write(plan, events)
    assert list(files(tmp_path / "evidence")) == ["thesis.tex"]


def test_a_folder_that_cannot_be_made_is_named(
    world: Any, tmp_path: Path, plan: Plan, events: list[Event]
) -> None:
    (tmp_path / "evidence").write_text("a file")
    with pytest.raises(
        ForgeError, match="evidence' cannot be written: a part of the path is a file"
    ):
        world.write(plan, events)


def test_an_event_that_was_changed_in_the_ledger_is_told(
    world: Any, plan: Plan, events: list[Event], tmp_path: Path
) -> None:
    lines = list(seal(events, 1, GENESIS))
    _, event, _, digest, prev, _, _ = lines[3]
    lines[3] = join(event, lines[2].body, 4, prev, digest)
    audit = record.write(tmp_path / "changed", plan, lines, world.artifacts, {})
    told = [check.sentence for check in recorded(tmp_path / "changed", audit) if not check.ok]
    assert told[0] == "events.jsonl:4: the event was changed in the ledger"


def test_evidence_that_was_just_written_is_checked_as_it_is_later(
    world: Any, plan: Plan, events: list[Event], tmp_path: Path
) -> None:
    machine = environment("local", "off, not enforced", wall=12, cpu=3)
    lines = seal(events, 1, GENESIS)
    audit = record.write(tmp_path / "new", plan, lines, world.artifacts, machine)
    assert recorded(tmp_path / "new", audit) == verify(tmp_path / "new")


def test_what_an_output_only_claims_to_be_kept_is_missed_by_verification(
    world: Any, make_plan: Any, make_item: Any
) -> None:
    plan = make_plan(make_item("greet"))
    events = world.events(plan, {"greet": lambda turn: TurnResult.done({"result": "hello"})})
    claim = {"result": {"artifact": f"sha256:{'0' * 64}", "bytes": 3}}
    events = [
        event._replace(body={**event.body, "output": claim})
        if event.kind == "turn_ended"
        else event
        for event in events
    ]
    folder, _ = world.write(plan, events)
    assert {check.name for check in verify(folder) if not check.ok} == {"acceptance", "artifacts"}


def test_evidence_that_could_not_be_finished_stays_marked(
    world: Any, plan: Plan, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_folder: Path, _files: object, _artifacts: object) -> None:
        raise ForgeError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(record, "_write_artifacts", full)
        with pytest.raises(ForgeError, match="full"):
            world.write(plan, events, "torn")
    assert (world.folder / "torn" / MARKER).exists()
    folder, _ = world.write(plan, events, "torn")
    assert not (folder / MARKER).exists()


def test_a_folder_whose_plan_cannot_be_read_is_not_written_to(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    folder, _ = world.write(plan, events)
    (folder / PLAN).write_text("half of")
    before = files(folder)
    with pytest.raises(ForgeError, match=r"plan\.json' cannot be read: .*; remove the folder"):
        world.write(plan, events)
    assert files(folder) == before


def test_a_folder_that_cannot_be_marked_is_not_written_to(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    folder, _ = world.write(plan, events)
    (folder / MARKER).symlink_to("nowhere/at/all")
    with pytest.raises(ForgeError, match="cannot be written"):
        world.write(plan, events)
    assert verify(folder)[0].ok


def test_a_folder_that_cannot_be_synced_is_told(
    world: Any, plan: Plan, events: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_folder: Path) -> None:
        raise OSError(errno.EDQUOT, "quota")

    monkeypatch.setattr(durable, "sync", full)
    (world.folder / "evidence").mkdir()
    with pytest.raises(ForgeError, match="the disk quota is used up"):
        world.write(plan, events)
