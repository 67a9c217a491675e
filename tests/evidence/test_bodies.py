from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from forge_cli.evidence.bodies import without_bodies
from forge_cli.evidence.verify import verify
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.turn import Turn, TurnResult
from tests.evidence.summaries import summarise

CANARY = "canary-7f3a"


@pytest.fixture
def private(plan: Plan, seal_plan: Callable[[Plan], Plan]) -> Plan:
    return seal_plan(replace(plan, evidence="digests"))


@pytest.fixture
def folder(world: Any, private: Plan, answers: Any) -> Path:
    """Evidence without bodies of a run in which every body holds the canary."""

    def research(turn: Turn) -> TurnResult:
        kept = world.artifacts.put(CANARY.encode())
        usage = {"model_calls": 2}
        return TurnResult.done({"notes": [CANARY]}, usage=usage, captured={"stdout": kept})

    def build(turn: Turn) -> TurnResult:
        if turn.attempt_id.endswith("/1"):
            return TurnResult.failed("error", CANARY, partial={"half": CANARY})
        return TurnResult.done({"result": CANARY * 30_000})

    mine = {**answers, "research": research, "build": build}
    written: Path = world.write(private, world.events(private, mine, who=CANARY))[0]
    return written


def test_no_body_is_in_any_file(folder: Path) -> None:
    for path in folder.rglob("*"):
        assert path.is_dir() or CANARY.encode() not in path.read_bytes()
    assert not (folder / "items").exists()


def test_it_passes_and_says_what_was_not_checked(folder: Path) -> None:
    checks = {check.name: check for check in verify(folder)}
    assert all(check.ok for check in checks.values())
    assert "not checked" in checks["decisions"].sentence
    assert "not checked" in checks["acceptance"].sentence
    assert "not checked" not in checks["contracts"].sentence


def test_a_changed_byte_is_found_as_ever(folder: Path) -> None:
    for name in ("plan.json", "events.jsonl", "run.json"):
        data = (folder / name).read_bytes()
        for position in range(0, len(data), len(data) // 40 + 1):
            flipped = bytes([data[position] ^ 1])
            (folder / name).write_bytes(data[:position] + flipped + data[position + 1 :])
            assert not all(check.ok for check in verify(folder)), f"{name}, byte {position}"
        (folder / name).write_bytes(data)


def test_every_item_ends_alike(plan: Plan, events: list[Event]) -> None:
    full = summarise(plan, events)
    bare = summarise(plan, [without_bodies(plan, event) for event in events])
    for item, row in full["items"].items():
        assert bare["items"][item]["status"] == row["status"]
        assert bare["items"][item].get("kind") == row.get("kind")
    for key in ("budgets", "state_version", "state_versions", "delegations", "messages"):
        assert bare[key] == full[key]
    assert bare["resolutions"][0]["winner"] == full["resolutions"][0]["winner"]


def test_events_without_bodies_are_left_as_they_are(plan: Plan) -> None:
    event = Event(0, "run_stopping", body={"signal": "SIGINT"})
    assert without_bodies(plan, event) == event


def test_without_bodies_changes_nothing_in_the_event_that_it_was_given(
    plan: Plan, events: list[Event]
) -> None:
    before = [(event.kind, repr(event.body)) for event in events]
    for event in events:
        without_bodies(plan, event)
    assert [(event.kind, repr(event.body)) for event in events] == before


def test_what_is_taken_over_is_known_by_its_digest_only(plan: Plan) -> None:
    kept = {"a": {"run": "old", "output": {"result": CANARY}, "digest": "sha256:1"}}
    event = without_bodies(plan, Event(0, "run_started", body={"inputs": {}, "reuse": kept}))
    assert CANARY not in str(event.body)
    assert event.body["reuse"]["a"]["digest"] == "sha256:1"


def test_what_was_denied_is_known_by_its_digest_only(plan: Plan) -> None:
    row = {"tool": CANARY, "action": "file-write", "reason": CANARY, "link": "run", "key": "scope"}
    body = {"status": "done", "sender": "s", "usage": None, "denials": [row]}
    event = without_bodies(plan, Event(0, "turn_ended", "research", "r/research/1", body))
    assert CANARY not in str(event.body)
    (kept,) = event.body["denials"]
    assert (kept["action"], kept["link"], kept["key"]) == ("file-write", "run", "scope")
