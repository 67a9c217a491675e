"""What the audit of contracts refuses of a run, `validate` refuses of its manifest."""

import json
from collections import defaultdict
from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from forge_cli.evidence.audit import Audit
from forge_cli.ledger.lines import GENESIS, seal
from forge_cli.manifest.check import examine, subject_of
from forge_cli.manifest.compilation.compile import compile as compile_manifest
from forge_cli.manifest.files import Files
from forge_cli.manifest.reading.source import parse
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.turn import Turn, TurnResult

Written = dict[str, Any]

MANIFESTS = 1000
AS_ALWAYS = 0.5
"""How often a limit is left out that could be written."""

LIMITS: dict[str, list[Any]] = {
    "capabilities": [[], ["read"], ["read", "write"]],
    "scope": [["files:**"], ["files:src/**"], ["files:src/a/**"], ["files:docs/**"]],
    "outputs": [["text"], ["text", "note"]],
    "budget": [
        {"model_calls": 2},
        {"model_calls": 4, "tokens": 20},
        {"model_calls": 8},
        {"cost_usd": 2},
        {"cost_usd": 3, "tool_calls": 5},
        {"tokens": 10},
    ],
    "deadline": ["30m", "1h", "2h", "2026-12-01T09:00:00Z"],
    "timeout": ["10m", "40m", "90m"],
    "writes": [[], ["files:src/**"], ["files:src/a/x"]],
    "depth": [0, 1, 2],
}


class Draw:
    """Draws a manifest in which two kinds of limits may be wider than the one above them."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._varied = self._random.sample(sorted(LIMITS), 2)

    def manifest(self) -> Written:
        return {
            "forge": 1,
            **self.some("scope", "budget", "deadline"),
            "settings": {"hierarchical_max_depth": 1},
            "schemas": {"any@1": {"type": "object"}},
            "roles": {"lead": {**self.role(), "delegates": self.delegates()}, "help": self.role()},
            "delegations": {"d": self.contract()},
            "work_items": {"a": self.item(groups=True), "b": {"delegation": "d"}, "c": self.item()},
        }

    def some(self, *keys: str) -> Written:
        kept = [key for key in keys if key in self._varied and self._random.random() > AS_ALWAYS]
        return {key: self._random.choice(LIMITS[key]) for key in kept}

    def one(self, key: str) -> Any:
        return self._random.choice(LIMITS[key]) if key in self._varied else LIMITS[key][0]

    def role(self) -> Written:
        usage = self._random.choice([{}, {}, {"max_usage": {"model_calls": 3}}])
        return {
            "capabilities": self.one("capabilities"),
            **self.some("scope", "outputs", "budget"),
            "handler": {"kind": "command", "argv": ["x"], **usage},
        }

    def delegates(self) -> Written:
        return {"to": ["help"], **self.some("capabilities", "depth")}

    def contract(self) -> Written:
        return {
            "delegator": "agent:lead",
            "delegate": "agent:help",
            "purpose": "Help",
            "authority": self.one("capabilities"),
            "scope": self.one("scope"),
            "budget": self.one("budget"),
            "deadline": self.one("deadline"),
            "completion": "schema:any@1",
            "on_failure": "fail",
            **self.some("outputs", "depth"),
        }

    def item(self, groups: bool = False) -> Written:
        way = self._random.choice(["role", "delegation", "inline", "routed", "each", "group"])
        if way == "group" and groups:
            shared = self._random.choice([{}, {}, {"role": "help"}, {"delegation": "d"}])
            own = self.some("scope", "writes", "budget", "deadline", "timeout", "outputs")
            own |= self.some("capabilities") if "delegation" not in shared else {}
            subs = {name: self.item() for name in "xy"}
            return {"pattern": "parallel", **shared, **own, "sub_tasks": subs}
        if way == "delegation":
            return {"delegation": "d", **self.some("timeout")}
        own = self.some("scope", "writes", "budget", "deadline", "timeout", "outputs")
        words = self.one("capabilities")
        if way == "inline":
            return {"run": ["x"], "capabilities": words, **own}
        if way == "routed":
            return {"capabilities": words, **own}
        each = {"for_each": ["a", "b"]} if way == "each" else {}
        role = self._random.choice(["lead", "help"])
        return {"role": role, **each, **self.some("capabilities"), **own}


@pytest.fixture
def faults(world: Any) -> Callable[[Plan], list[str]]:
    """What an audit says against a run of a plan whose turns use all that they are given."""

    def answer(turn: Turn) -> TurnResult:
        return TurnResult.done(dict.fromkeys(turn.grant.outputs, "x"), usage=dict(turn.budget))

    def of(plan: Plan) -> list[str]:
        events = world.events(plan, defaultdict(lambda: answer))
        audit = Audit(world.folder, plan)
        audit.read(seal(events, 1, GENESIS))
        return [check.sentence for check in audit.checks() if not check.ok]

    return of


def test_a_manifest_without_findings_makes_no_turn_that_its_links_do_not_allow(
    faults: Callable[[Plan], list[str]],
) -> None:
    sound = 0
    for seed in range(MANIFESTS):
        text = json.dumps(Draw(seed).manifest())
        subject = subject_of(parse(text.encode()), "x.yaml", files=Files(None))
        if any(finding.severity == "error" for finding in examine(subject)):
            continue
        sound += 1
        plan = compile_manifest(subject.topology, "x.yaml", subject.files)
        assert faults(plan) == [], f"seed {seed}: {text}"
    assert sound > MANIFESTS // 8
