"""`forge show`: a run and an item of it, from the ledger."""

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forge_cli.app.show import Replay
from forge_cli.canonical import digest_of_bytes
from forge_cli.cli.show import item_report, run_report
from forge_cli.cli.terminal import Terminal
from forge_cli.errors import ForgeError
from forge_cli.evidence import verification
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.runs import RunFolder
from forge_cli.multiagent.plan import Item, Plan, Role

Opened = Callable[..., Replay]


@pytest.fixture
def opened(keep: Callable[..., RunFolder], play: Callable[..., Any]) -> Iterator[Opened]:
    """Plays a run into a ledger and opens that to be shown."""
    readers: list[Reader] = []

    def replay(plan: Plan, answers: dict[str, Any], events: int | None = None) -> Replay:
        folder = keep(play(plan, answers), events)
        readers.append(Reader.open(folder.ledger))
        return Replay(folder, readers[-1], plan)

    yield replay
    for reader in readers:
        reader.close()


def test_a_run_is_its_header_its_table_and_its_verdict(
    opened: Opened, fix: Plan, fix_answers: dict[str, Any], tmp_path: Path
) -> None:
    lines = run_report(opened(fix, fix_answers), tmp_path, False, Terminal())
    expected = """\
fix  run 20261130-141203-7f3a  plan 4c1d09e2  3 items  engine local  sandbox off, not enforced
  60 model calls, $4.00   deadline 20:12:03 UTC (6h, default)

 item      role        state              attempt     calls  cost                           time
 ───────────────────────────────────────────────────────────────────────────────────────────────
 research  researcher  accepted                 1         7  $0.0914                        0:48
 build     builder     accepted                 1        14  $0.7431 of $2.00  ███░░░░░░░   1:43
 review    reviewer    accepted                 1         9  $0.2230                        0:44
 ───────────────────────────────────────────────────────────────────────────────────────────────
 run                   complete                    30 of 60  $1.0575 of $4.00  ██░░░░░░░░   3:15

COMPLETE  3 of 3 items accepted                                                              exit 0
"""
    assert lines == expected.splitlines()


def test_a_run_whose_controller_is_gone_is_abandoned(
    opened: Opened, fix: Plan, fix_answers: dict[str, Any], tmp_path: Path
) -> None:
    replay = opened(fix, fix_answers, events=4)
    *table, total, _, last, go_on = run_report(replay, tmp_path, False, Terminal())
    gone = "its controller is gone and nothing runs; 1 turn was in flight"
    assert last == f"ABANDONED  {gone}; 1 of 3 items accepted"
    assert [line.split()[2] for line in table[-4:-1]] == ["accepted", "lost", "not"]
    assert total.split()[:2] == ["run", "abandoned"]
    assert go_on.startswith("  go on  forge resume ")


def test_a_note_of_the_evidence_that_cannot_be_read_is_told(
    opened: Opened, fix: Plan, fix_answers: dict[str, Any], tmp_path: Path
) -> None:
    folder = tmp_path / "evidence" / "fix" / "20261130-141203-7f3a"
    folder.mkdir(parents=True)
    (folder / "verification.json").write_text("[]")
    lines = run_report(opened(fix, fix_answers), tmp_path, False, Terminal())
    told = "  wrong   verification: verification.json cannot be read: it is not a JSON object"
    assert told in lines


def test_evidence_that_is_there_is_named_with_its_head(
    opened: Opened,
    fix: Plan,
    fix_answers: dict[str, Any],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "evidence" / "fix" / "20261130-141203-7f3a"
    folder.mkdir(parents=True)
    verification.write(folder, [])
    monkeypatch.chdir(tmp_path)
    lines = run_report(opened(fix, fix_answers), tmp_path, False, Terminal())
    assert lines[-2] == "evidence  evidence/fix/20261130-141203-7f3a"
    assert lines[-1].startswith("forge-evidence-head ")
    assert lines[-1].endswith(" 8")


def test_an_item_is_its_contract_its_attempts_and_its_values(
    opened: Opened, fix: Plan, fix_answers: dict[str, Any]
) -> None:
    grant = dataclasses.replace(
        fix.items["build"].grant, actions=frozenset({"file-read", "file-write", "process"})
    )
    build = dataclasses.replace(
        fix.items["build"],
        goal="Make the change",
        inputs={"notes": "all of ${items.research.outputs.notes}"},
        grant=grant,
    )
    plan = dataclasses.replace(fix, items={**fix.items, "build": build})
    lines = item_report(opened(plan, fix_answers), "build", False, Terminal())
    text = "\n".join(lines)
    expected = """\
build  accepted

 contract as granted
  use    repository-read, repository-write, test-run          risk      reversible
  read   files:**                                             on crash  hold
  write  files:src/**, files:tests/**                         held by   gateway (programs not held)
  chain  run > item:build
  goal   Make the change
  budget $2.00
  time   1h for each attempt

 attempts
     1     0:48 to 2:31     done, as builder@1, may use 15 model calls, $0.90; used 14 model calls,
                            $0.7431
"""
    assert text.partition("\n inputs")[0].splitlines() == expected.splitlines()
    assert "\n inputs\n  notes  all of nnnn" in text
    assert "\n outputs\n  diff     dddd" in text


def test_a_failed_item_shows_why_and_what_it_wrote(
    opened: Opened, hello: Plan, answer_lost: Callable[..., Any]
) -> None:
    written = b"\x1b[31mno greeting\n"
    captured = {"stderr": digest_of_bytes(written)}
    replay = opened(hello, {"greet": [answer_lost(1, "exit status 3", captured=captured)]})
    replay.artifacts.put(written)
    lines = item_report(replay, "greet", False, Terminal())
    assert lines[:2] == ["greet  FAILED", "  error: exit status 3"]
    assert lines[-2:] == [" stderr, 17 B", "  │ \\x1b[31mno greeting"]


def test_an_item_that_never_started_says_so(
    opened: Opened, hello: Plan, answer_lost: Callable[..., Any]
) -> None:
    replay = opened(hello, {"greet": [answer_lost(1, "exit status 3")]})
    lines = item_report(replay, "check", False, Terminal())
    assert lines[:2] == ["check  blocked", "  'greet' ended failed"]
    assert lines[-1] == "  none; it was not started"


def test_elements_are_listed_with_those_that_failed_first(
    opened: Opened,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> None:
    pair = make_item("scan", pattern="each", for_each=["geo", "tax"], then="continue")
    answers = {
        "scan.0": [answer_done(1, {"result": "x"})],
        "scan.1": [answer_lost(1, "exit status 2")],
    }
    replay = opened(make_plan("matrix", [pair]), answers)
    lines = item_report(replay, "scan", False, Terminal())
    start = lines.index(" 2 parts: 1 accepted, 1 failed")
    assert lines[start + 1 : start + 3] == [
        '  FAILED     scan.1  "tax"  exit status 2',
        '  accepted   scan.0  "geo"',
    ]


def test_an_element_that_did_not_come_into_being_is_refused(
    opened: Opened, fix: Plan, fix_answers: dict[str, Any]
) -> None:
    with pytest.raises(ForgeError, match=r"has no 'build\.7'"):
        item_report(opened(fix, fix_answers), "build.7", False, Terminal())


def test_events_that_cannot_follow_each_other_are_refused_with_their_number(
    opened: Opened, fix: Plan, hello: Plan, fix_answers: dict[str, Any], tmp_path: Path
) -> None:
    replay = opened(fix, fix_answers)
    other = Replay(replay.run, replay._reader, hello)
    with pytest.raises(ForgeError, match="event 2 of run '20261130-141203-7f3a' cannot follow"):
        run_report(other, tmp_path, False, Terminal())


def test_no_line_of_an_item_is_wider_than_a_hundred_columns(
    opened: Opened, fix: Plan, fix_answers: dict[str, Any]
) -> None:
    lines = item_report(opened(fix, fix_answers), "research", False, Terminal())
    assert max(map(len, lines)) == 100
