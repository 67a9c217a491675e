"""What evidence says of denials, and which faults in it are found."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from forge_cli.evidence.audit import Audit
from forge_cli.evidence.verify import verify
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.offspring import Offspring
from forge_cli.multiagent.plan import Grant, Plan
from forge_cli.multiagent.turn import Turn, TurnResult

WRITE = {"tool": "write_file", "arguments": {"path": "src/a", "content": ""}}
SAID = {"tool": "read_file", "denied": "no", "action": "file-read", "touches": "files:etc/a"}


def asks(turn: Turn) -> TurnResult:
    return TurnResult.yields([1], requests=(WRITE,))


@pytest.fixture
def plan(make_plan: Any, make_item: Any, seal_plan: Any) -> Plan:
    base: Plan = make_plan(make_item("a"))
    worker = base.roles["worker"]
    agent = replace(worker, handler=replace(worker.handler, kind="agent"))
    plan: Plan = seal_plan(replace(base, roles={"worker": agent}))
    return plan


def audit(world: Any, plan: Plan, events: Iterable[Event]) -> Audit:
    found = Audit(world.folder, plan)
    found.read(seal(events, 1, GENESIS))
    return found


def sentences(found: Audit) -> list[str]:
    return [check.sentence for check in found.checks() if check.name == "denials"]


def started(world: Any, plan: Plan) -> list[Event]:
    """A run up to the end of its first turn."""
    events = world.events(plan, {"a": asks})
    index = next(n for n, event in enumerate(events) if event.kind == "turn_ended")
    found: list[Event] = events[: index + 1]
    return found


def told(event: Event, **more: Any) -> Event:
    """The end of a turn, in which a read was denied, and no request made."""
    body = {key: value for key, value in event.body.items() if key != "requests"}
    return event._replace(body={**body, "effects": [SAID], **more})


def test_a_call_beyond_the_grant_is_in_the_runs_document_with_the_link_that_refused(
    world: Any, plan: Plan
) -> None:
    found = audit(world, plan, world.events(plan, {"a": asks}))
    (row,) = found.summary.document("root")["requests_denied"]
    assert (row["action"], row["link"], row["key"]) == ("file-write", "item:a", "capabilities")
    (escalation,) = found.summary.document("root")["escalations"]
    assert (escalation["item"], escalation["kind"]) == ("a", "denied")
    assert sentences(found) == ["1 denial, each with its link; all pauses were made"]


@pytest.mark.parametrize("kept", ["full", "digests"])
def test_evidence_of_a_denial_is_verified_with_and_without_bodies(
    world: Any, plan: Plan, seal_plan: Any, kept: Any
) -> None:
    plan = seal_plan(replace(plan, evidence=kept))
    folder, _ = world.write(plan, world.events(plan, {"a": asks}))
    checks = verify(folder)
    assert [check.sentence for check in checks if not check.ok] == []
    (said,) = (check.sentence for check in checks if check.name == "denials")
    assert ("links are not checked" in said) == (kept == "digests")


def test_a_denial_with_another_link_is_found(world: Any, plan: Plan) -> None:
    *events, ended = started(world, plan)
    row = {
        "tool": "read_file",
        "action": "file-read",
        "reason": "no",
        "link": "run",
        "key": "scope",
    }
    (said,) = sentences(audit(world, plan, [*events, told(ended, denials=[row])]))
    assert "'a' was denied read_file by" in said
    assert "recorded is read_file by run" in said


def test_a_denial_that_is_left_out_is_found(world: Any, plan: Plan) -> None:
    *events, ended = started(world, plan)
    (said,) = sentences(audit(world, plan, [*events, told(ended)]))
    assert said.endswith("recorded is nothing")


def test_an_item_that_goes_on_though_it_was_denied_a_change_is_found(
    world: Any, plan: Plan
) -> None:
    *events, ended = started(world, plan)
    effect = {"tool": "write_file", "denied": "no", "action": "file-write"}
    row = {"tool": "write_file", "action": "file-write", "reason": "no"}
    more = {"effects": [effect], "denials": [{**row, "link": "item:a", "key": "capabilities"}]}
    start = next(event for event in events if event.kind == "turn_started")
    again = start._replace(time=ended.time, body={**start.body, "turn": 2})
    (*_, said) = sentences(audit(world, plan, [*events, told(ended, **more), again]))
    assert said.endswith("'a' goes on, and was to pause for what it was denied")


def test_who_asked_for_a_call_that_was_denied_and_goes_on_is_found(
    world: Any, make_plan: Any, make_item: Any
) -> None:
    both, files = frozenset({"read", "write"}), ("files:src/**",)
    grant = Grant(both, frozenset({"file-read", "file-write"}), files, files, ("result",))
    plan = make_plan(make_item("a", grant=grant))
    once = {"a": lambda turn: TurnResult.done({"result": 1}) if turn.number > 1 else asks(turn)}
    call = {"a.call-1-1": lambda turn: TurnResult.failed("error", "no")}
    events = world.events(plan, once | call)
    index = next(n for n, e in enumerate(events) if e.item != "a" and e.kind == "turn_ended")
    effect = {"tool": "write_file", "denied": "no", "action": "file-write"}
    row = {"tool": "write_file", "action": "file-write", "reason": "no"}
    ended = told(events[index], effects=[effect], denials=[row])
    start = next(event for event in events if event.kind == "turn_started")
    again = start._replace(time=ended.time, body={**start.body, "turn": 2})
    (*_, said) = sentences(audit(world, plan, [*events[:index], ended, again]))
    assert said.endswith("'a' goes on, and was to pause for what it was denied")


def test_a_machine_that_lets_a_denied_item_succeed_is_not_believed(
    world: Any, plan: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Offspring, "_note_denials", lambda *_: None)
    events = world.events(plan, {"a": lambda turn: TurnResult.done({"result": 1})})
    index = next(n for n, event in enumerate(events) if event.kind == "turn_ended")
    effect = {"tool": "write_file", "denied": "no", "action": "file-write"}
    row = {"tool": "write_file", "action": "file-write", "reason": "no"}
    row |= {"link": "item:a", "key": "capabilities"}
    ended = told(events[index], effects=[effect], denials=[row])
    (said,) = sentences(audit(world, plan, [*events[:index], ended, *events[index + 1 :]]))
    assert said.endswith("'a' succeeds, and was to pause for what it was denied")
