"""What a manifest says for people stands in its plan."""

import json
from collections.abc import Callable
from pathlib import Path

Forge = Callable[..., tuple[int, str, str]]

MANIFEST = """forge: 1
description: Say hello to somebody.
labels: {team: greeters}
inputs:
  who: {description: Whom to greet}
  how: {default: loudly, description: In which voice}
work_items:
  greet: {run: [echo, "${inputs.who} ${inputs.how}"], capabilities: [], labels: {cost: none}}
"""


def test_descriptions_are_shown(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(MANIFEST)
    code, out, _ = forge("plan", "m.yaml")
    assert code == 0
    assert out.splitlines()[1] == "Say hello to somebody."
    assert "who not given, needed: Whom to greet" in out
    assert "how loudly (default): In which voice" in out


def test_labels_are_kept_in_the_plan(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(MANIFEST)
    plan = json.loads(forge("plan", "m.yaml", "--format", "json")[1])["plan"]
    assert plan["labels"] == {"team": "greeters"}
    assert plan["items"][0]["labels"] == {"cost": "none"}


def test_what_a_contract_only_records_is_in_the_plan_and_grants_nothing(
    forge: Forge, tmp_path: Path
) -> None:
    (tmp_path / "h.py").write_text("def f(turn):\n    return 1\n")
    (tmp_path / "m.yaml").write_text(
        """forge: 1
roles:
  lead:
    capabilities: [repository-read, test-run]
    delegates: {to: [reader], capabilities: [repository-read]}
    handler: {kind: function, call: "h.py:f"}
  reader: {capabilities: [repository-read, test-run], handler: {kind: function, call: "h.py:f"}}
schemas: {"any@1": {}}
delegations:
  one:
    id: one
    parent_attempt: attempt-31
    delegator: agent:lead
    delegate: agent:reader
    purpose: Read it
    scope: ["files:a/**"]
    authority: [repository-read]
    completion: schema:any@1
    deadline: 90m
    budget: {model_calls: 1}
    on_failure: fail
work_items:
  read: {delegation: one}
"""
    )
    plan = json.loads(forge("plan", "m.yaml", "--format", "json")[1])["plan"]
    assert plan["contracts"]["delegation:one"]["parent_attempt"] == "attempt-31"
    assert plan["items"][0]["grant"]["capabilities"] == ["repository-read"]


def test_the_limits_of_an_item_are_shown_as_they_hold(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(
        """forge: 1
deadline: 2030-01-01T00:00:00Z
scope: ["files:**", "net:example.org:443"]
work_items:
  fetch: {run: [echo, x], capabilities: [read, network], deadline: 90m}
  look: {run: [echo, x], capabilities: [read]}
"""
    )
    out = forge("plan", "m.yaml")[1]
    assert "deadline  1h30m" in out
    assert out.count("reach  net:example.org:443") == 1
    assert "deadline 2030-01-01 00:00:00 UTC" in out


def test_items_that_await_a_decision_are_named(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(
        """forge: 1
work_items:
  build: {run: [echo, x], capabilities: []}
  push: {run: [echo, x], capabilities: [], risk: irreversible}
  tell: {run: [echo, x], capabilities: [], approval: required}
"""
    )
    assert " approvals      push, tell\n" in forge("plan", "m.yaml")[1]
