from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.evidence import verification
from forge_cli.evidence.checks import Check
from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import ENVIRONMENT, EVENTS, PLAN, RUN, VERIFICATION
from forge_cli.evidence.verify import verify
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan


def wrong(folder: Path, head: Head | None = None) -> list[Check]:
    return [check for check in verify(folder, head) if not check.ok]


def names(checks: list[Check]) -> set[str]:
    return {check.name for check in checks}


def covered(folder: Path) -> list[Path]:
    found = [path for path in folder.rglob("*") if path.is_file()]
    return sorted(path for path in found if path.name not in (ENVIRONMENT, VERIFICATION))


def test_untouched_evidence_passes_every_check(evidence: Path) -> None:
    assert wrong(evidence) == []


def test_any_changed_byte_of_a_small_run_is_found(small: Path) -> None:
    for path in covered(small):
        data = path.read_bytes()
        for position in range(len(data)):
            path.write_bytes(changed(data, position, 1 << position % 8))
            assert wrong(small), f"{path.name}, byte {position}"
        path.write_bytes(data)
    assert wrong(small) == []


def test_changed_bytes_of_a_larger_run_are_found(evidence: Path) -> None:
    for path in covered(evidence):
        data = path.read_bytes()
        for position in range(0, len(data), len(data) // 40 + 1):
            path.write_bytes(changed(data, position, 0x04))
            assert wrong(evidence), f"{path.name}, byte {position}"
        path.write_bytes(data)


def changed(data: bytes, position: int, flip: int) -> bytes:
    return data[:position] + bytes([data[position] ^ flip]) + data[position + 1 :]


def test_a_cut_tail_is_found(small: Path) -> None:
    for path in covered(small):
        data = path.read_bytes()
        for length in range(0, len(data), 1 if path.name == EVENTS else 20):
            path.write_bytes(data[:length])
            assert wrong(small), f"{path.name}, {length} bytes"
        path.write_bytes(data)


def test_appended_bytes_are_found(small: Path) -> None:
    for path in covered(small):
        data = path.read_bytes()
        for more in (b"\n", b" ", b"{}\n"):
            path.write_bytes(data + more)
            assert wrong(small), path.name
        path.write_bytes(data)


def test_a_dropped_event_is_found(evidence: Path) -> None:
    lines = log(evidence)
    for number in range(len(lines)):
        write_log(evidence, lines[:number] + lines[number + 1 :])
        assert wrong(evidence), f"event {number + 1}"


def test_a_doubled_event_is_found(evidence: Path) -> None:
    lines = log(evidence)
    for number in range(len(lines)):
        write_log(evidence, lines[: number + 1] + lines[number:])
        assert wrong(evidence), f"event {number + 1}"


def test_reordered_events_are_found(evidence: Path) -> None:
    lines = log(evidence)
    for number in range(len(lines) - 1):
        swapped = [*lines[:number], lines[number + 1], lines[number], *lines[number + 2 :]]
        write_log(evidence, swapped)
        assert wrong(evidence), f"event {number + 1}"


def test_a_finding_names_file_and_line(evidence: Path) -> None:
    lines = log(evidence)
    write_log(evidence, [*lines[:4], lines[4].replace(b"turn", b"Turn"), *lines[5:]])
    (finding,) = wrong(evidence)
    assert finding.name == "chain"
    assert finding.sentence.startswith("events.jsonl:5: ")


@pytest.mark.parametrize("name", [PLAN, EVENTS, RUN, ENVIRONMENT])
def test_an_empty_file_is_as_good_as_missing(evidence: Path, name: str) -> None:
    (evidence / name).write_bytes(b"")
    assert wrong(evidence) == [
        Check("files", False, f"{name} is empty, which is as good as missing")
    ]


@pytest.mark.parametrize("name", [PLAN, EVENTS, RUN, ENVIRONMENT])
def test_a_missing_file_is_named(evidence: Path, name: str) -> None:
    (evidence / name).unlink()
    assert wrong(evidence) == [Check("files", False, f"{name} is missing")]


def test_a_missing_artifact_is_named(evidence: Path) -> None:
    (evidence / "items/research/stdout.txt").unlink()
    (finding,) = wrong(evidence)
    assert finding.sentence.startswith("items/research/stdout.txt cannot be read")


@pytest.mark.parametrize("name", ["notes.md", "items/research/more.txt", "items/other/x"])
def test_a_file_that_is_no_part_of_it_is_named(evidence: Path, name: str) -> None:
    (evidence / name).parent.mkdir(exist_ok=True)
    (evidence / name).write_text("hello")
    (finding,) = wrong(evidence)
    assert finding.sentence == (
        f"{name!r} lies in the evidence and is no part of it; remove it or keep it elsewhere"
    )


def test_an_artifact_that_is_a_link_is_no_artifact(evidence: Path, tmp_path: Path) -> None:
    artifact = evidence / "items/research/stdout.txt"
    artifact.rename(tmp_path / "elsewhere")
    artifact.symlink_to(tmp_path / "elsewhere")
    assert names(wrong(evidence)) == {"files"}


def test_the_head_that_was_kept_vouches_for_all(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    folder, head = world.write(plan, events)
    assert wrong(folder, head) == []
    assert wrong(folder, Head(head.root)) == []


def test_a_consistent_rewrite_is_found_by_a_head_that_was_kept(
    world: Any, plan: Plan, answers: Any, events: list[Event]
) -> None:
    _, head = world.write(plan, events, "true")
    rewritten, _ = world.write(plan, world.events(plan, answers, who="Mallory"), "rewritten")
    assert wrong(rewritten) == []
    assert names(wrong(rewritten, head)) == {"head"}


def test_a_head_of_another_size_is_found(world: Any, plan: Plan, events: list[Event]) -> None:
    folder, head = world.write(plan, events)
    (finding,) = wrong(folder, replace(head, size=3))
    assert "is not the head that was given" in finding.sentence


def test_the_form_of_what_no_head_covers_is_checked(evidence: Path) -> None:
    (evidence / ENVIRONMENT).write_text('{"format_version": 1}')
    (evidence / VERIFICATION).write_text("[]")
    assert [check.sentence.partition(":")[0] for check in wrong(evidence)] == [
        ENVIRONMENT,
        VERIFICATION,
    ]


def test_another_sandbox_than_the_run_began_with_is_found(evidence: Path) -> None:
    text = (evidence / ENVIRONMENT).read_text()
    (evidence / ENVIRONMENT).write_text(text.replace("off, not enforced", "strict"))
    (finding,) = wrong(evidence)
    assert finding.sentence == (
        "environment.json: the sandbox is 'strict', the run began with 'off, not enforced'"
    )


@pytest.mark.parametrize("given", [True, False])
def test_what_an_earlier_verification_found_may_rest_on_a_head(
    world: Any, plan: Plan, events: list[Event], given: bool
) -> None:
    folder, head = world.write(plan, events)
    verification.write(folder, verify(folder, head if given else None))
    assert wrong(folder) == []
    assert wrong(folder, head) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("no budget was overspent", "a budget was overspent"),
        ('"name":"end","ok":true', '"name":"end","ok":false'),
        ('"ok": true', '"ok": false'),
        ("over 2", "over 3"),
        ("}\n]", "},{}\n]"),
    ],
)
def test_a_changed_verification_is_found(evidence: Path, before: str, after: str) -> None:
    verification.write(evidence, verify(evidence))
    text = (evidence / VERIFICATION).read_text()
    assert before in text
    (evidence / VERIFICATION).write_text(text.replace(before, after, 1))
    assert {"verification", "forms"} & names(wrong(evidence))


def test_a_verification_that_is_written_anew_is_not_judged(evidence: Path) -> None:
    checks = verify(evidence)
    verification.write(evidence, [replace(checks[0], ok=False), *checks[1:]])
    (finding,) = wrong(evidence)
    assert finding.sentence == (
        "verification.json:3: this is not what is found now, which `--write` notes"
    )
    assert verify(evidence, anew=True) == checks


def test_an_empty_folder_is_no_part_of_it(evidence: Path) -> None:
    (evidence / "items/research/turn-9").mkdir()
    (evidence / "notes").mkdir()
    assert [finding.sentence.partition(" lies")[0] for finding in wrong(evidence)] == [
        "'items/research/turn-9'",
        "'notes'",
    ]


def log(folder: Path) -> list[bytes]:
    return (folder / EVENTS).read_bytes().splitlines(keepends=True)


def write_log(folder: Path, lines: list[bytes]) -> None:
    (folder / EVENTS).write_bytes(b"".join(lines))


def test_what_a_verification_found_wrong_is_read_back(evidence: Path) -> None:
    checks = verify(evidence)
    verification.write(evidence, [replace(checks[0], ok=False), *checks[1:]])
    assert verification.noted(evidence) == [replace(checks[0], ok=False)]
    (evidence / VERIFICATION).write_text("[")
    unreadable = verification.noted(evidence) or []
    told = [str(check) for check in unreadable]
    assert len(told) == 1
    assert told[0].startswith("verification: verification.json cannot be read")
    (evidence / VERIFICATION).unlink()
    assert verification.noted(evidence) is None
