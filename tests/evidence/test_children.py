"""What evidence says of items that others asked for, and which faults in it are found."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from forge_cli.evidence.audit import Audit
from forge_cli.evidence.verify import verify
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Contract, Grant, Plan
from forge_cli.multiagent.turn import Turn, TurnResult

ASKED = {
    "name": "helper",
    "task": "look ${inputs.x}",
    "capabilities": ["read"],
    "scope": ["files:src/a/**"],
}
ASKS = {"tool": "delegate_subagent", "arguments": ASKED}
WIDER = {"tool": "delegate_subagent", "arguments": {**ASKED, "capabilities": ["all"]}}


@pytest.fixture
def plan(make_plan: Any, make_item: Any, seal_plan: Any) -> Plan:
    grant = Grant(
        frozenset({"read", "write"}), frozenset(), ("files:src/**",), ("files:src/**",), ("result",)
    )
    base = make_plan(make_item("lead", grant=grant))
    worker = base.roles["worker"]
    links = {
        name: Contract(name, "run", "", worker.capabilities, worker.scope, depth=2)
        for name in ("role:worker", "role:helper", "delegates:worker")
    }
    plan: Plan = seal_plan(
        replace(
            base,
            roles={
                "worker": replace(worker, delegates=("helper",)),
                "helper": replace(worker, role_id="helper", outputs=("result",)),
            },
            contracts={"run": replace(base.contracts["run"], depth=2), **links},
            vocabulary={"read": ["file-read"], "write": ["file-read", "file-write"]},
        )
    )
    return plan


def lead(turn: Turn) -> TurnResult:
    if turn.number == 1:
        return TurnResult.yields([1], requests=(ASKS, WIDER))
    return TurnResult.done({"result": [answer["status"] for answer in turn.answers]})


def look(turn: Turn) -> TurnResult:
    return TurnResult.done({"result": turn.purpose})


@pytest.fixture
def events(world: Any, plan: Plan) -> list[Event]:
    found: list[Event] = world.events(plan, {"lead": lead, "lead.child-1-1": look})
    return found


def faults(world: Any, plan: Plan, events: Iterable[Event]) -> dict[str, list[str]]:
    audit = Audit(world.folder, plan)
    audit.read(seal(events, 1, GENESIS))
    found: dict[str, list[str]] = {}
    for check in audit.checks():
        if not check.ok:
            found.setdefault(check.name, []).append(check.sentence)
    return found


def altered(events: list[Event], **changes: Any) -> list[Event]:
    """The events with something else in the one that admits the child."""
    return [
        event._replace(body={**event.body, **changes})
        if event.kind == "request_admitted"
        else event
        for event in events
    ]


def test_parent_child_task_depth_and_outcome_are_in_the_runs_document(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    audit = Audit(world.folder, plan)
    audit.read(seal(events, 1, GENESIS))
    document = audit.summary.document("root")
    assert document["delegations"] == {"run": ["lead"], "item:lead": ["lead.child-1-1"]}
    child = document["items"]["lead.child-1-1"]
    assert (child["request"], child["task"], child["depth"], child["role"], child["route"]) == (
        "lead/1/1",
        "look ${inputs.x}",
        1,
        "helper@1",
        "asked for",
    )
    assert child["output"] == {"result": "look ${inputs.x}"}
    assert document["items"]["lead"]["output"] == {"result": ["succeeded", "denied"]}


def test_requests_that_were_denied_are_in_the_runs_document(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    audit = Audit(world.folder, plan)
    audit.read(seal(events, 1, GENESIS))
    assert audit.summary.document("root")["requests_denied"] == [
        {
            "item": "lead",
            "request": "lead/1/2",
            "tool": "delegate_subagent",
            "kind": "denied",
            "reason": "you do not hold the capability 'all'",
        }
    ]


def writes(turn: Turn) -> TurnResult:
    if turn.number == 1:
        call = {"tool": "write_file", "arguments": {"path": "src/a", "content": "x"}}
        return TurnResult.yields([1], requests=(call,))
    return TurnResult.done({"result": "written"})


def test_a_call_of_a_tool_is_held_against_what_its_asker_may_do(
    world: Any, plan: Plan, seal_plan: Any
) -> None:
    lead = plan.items["lead"]
    grant = replace(lead.grant, actions=frozenset({"file-write"}))
    plan = seal_plan(replace(plan, items={"lead": replace(lead, grant=grant)}))
    events = world.events(plan, {"lead": writes, "lead.call-1-1": look})
    assert faults(world, plan, events) == {}
    found = faults(world, plan, altered(events, writes=["files:tests/x"]))["contracts"]
    assert found[-1].endswith(
        "the turn of 'lead.call-1-1' may write 'files:tests/x', which 'item:lead' may not"
    )


def split(turn: Turn) -> TurnResult:
    if turn.number == 1:
        steps = [{"goal": "look ${inputs.x}", "capabilities": ["read"]}]
        return TurnResult.yields(
            [1], requests=({"tool": "decompose_task", "arguments": {"steps": steps}},)
        )
    return TurnResult.done({"result": "plan"})


@pytest.mark.parametrize("kept", ["full", "digests"])
def test_evidence_of_steps_is_verified_with_and_without_bodies(
    world: Any, plan: Plan, seal_plan: Any, kept: Any
) -> None:
    items = {"lead": replace(plan.items["lead"], max_steps=2)}
    plan = seal_plan(replace(plan, evidence=kept, items=items))
    folder, _ = world.write(plan, world.events(plan, {"lead": split, "lead.step-1-1-1": look}))
    assert [check.sentence for check in verify(folder) if not check.ok] == []
    text = (folder / "events.jsonl").read_text()
    assert ("look ${inputs.x}" in text) == (kept == "full")


@pytest.mark.parametrize("kept", ["full", "digests"])
def test_evidence_of_children_is_verified_with_and_without_bodies(
    world: Any, plan: Plan, seal_plan: Any, kept: Any
) -> None:
    plan = seal_plan(replace(plan, evidence=kept))
    folder, _ = world.write(plan, world.events(plan, {"lead": lead, "lead.child-1-1": look}))
    assert [check.sentence for check in verify(folder) if not check.ok] == []
    text = (folder / "events.jsonl").read_text()
    assert ("look ${inputs.x}" in text) == (kept == "full")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"capabilities": ["all"]}, "holds 'all', which 'item:lead' does not allow"),
        (
            {"scope": ["files:tests/**"]},
            "may touch 'files:tests/**', which 'item:lead' does not cover",
        ),
        ({"actions": ["network"]}, "may do 'network', which 'item:lead' may not"),
        ({"writes": ["files:tests/x"]}, "may write 'files:tests/x', which 'item:lead' may not"),
        ({"role": "worker@1"}, "is by 'worker', to whom 'item:lead' may not delegate"),
        ({"depth": 2}, "may be followed by as many contracts as 'item:lead'"),
    ],
)
def test_a_child_beyond_its_asker_is_found(
    world: Any, plan: Plan, events: list[Event], changes: dict[str, Any], sentence: str
) -> None:
    found = faults(world, plan, altered(events, **changes))
    assert any(f"the turn of 'lead.child-1-1' {sentence}" in each for each in found["contracts"])
    assert "decisions" in found


def test_a_child_that_nobody_asked_for_breaks_the_log(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    index = next(n for n, event in enumerate(events) if event.kind == "request_admitted")
    found = faults(world, plan, [*events[: index + 1], events[index], *events[index + 1 :]])
    assert "decisions" in found


def test_a_request_that_was_denied_and_is_said_to_be_admitted_is_found(
    world: Any, plan: Plan, events: list[Event]
) -> None:
    admitted = next(event for event in events if event.kind == "request_admitted")
    forged = [
        admitted._replace(body={**admitted.body, "child": "lead.child-1-2", "request": "lead/1/2"})
        if event.kind == "request_denied"
        else event
        for event in events
    ]
    assert faults(world, plan, forged)["decisions"][0].endswith(
        "request_admitted of 'lead' was recorded, the machine decides request_denied of 'lead'"
    )
