"""Which defaults hold in a plan."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.app.defaults import Default
from forge_cli.app.plan import compiled, planned
from forge_cli.app.schema import schema
from forge_cli.manifest.meaning.values import duration

Defaults = Callable[[str], list[Default]]

BARE = (
    "forge: 1\nwork_items:\n  a: {run: [x], capabilities: []}\n  b: {run: [x], capabilities: []}\n"
)
WRITTEN = """forge: 1
version: 1.2.0
scope: [files:src/**]
budget: {model_calls: 5}
deadline: 1h
settings: {max_concurrency: 2, evidence: digests}
roles:
  r:
    capabilities: [write]
    handler:
      {kind: command, argv: [x], stdin: none, result: text, grace: 1s, max_output: 9}
work_items:
  a:
    {role: r, required: false, timeout: 1m, risk: reversible, on_crash: rerun, on_failure: fail}
"""


@pytest.fixture
def defaults(tmp_path: Path) -> Defaults:
    """The defaults that hold in the plan of a manifest."""

    def of(text: str) -> list[Default]:
        path = tmp_path / "m.forge.yaml"
        path.write_text(text)
        found = compiled(path, 0, tmp_path)
        assert found.plan is not None
        return [*planned(found, found.plan, tmp_path, []).defaults]

    return of


def test_what_is_not_written_is_listed_with_its_value_and_for_whom(defaults: Defaults) -> None:
    assert defaults(BARE) == [
        Default("version", "0.0.0"),
        Default("scope", ["files:**"]),
        Default("budget", {"model_calls": 100}),
        Default("deadline", 6 * 3_600_000),
        Default("max_concurrency", 4),
        Default("evidence", "full"),
        Default("required", True, ("a", "b")),
        Default("timeout", 3_600_000, ("a", "b")),
        Default("risk", "read_only", ("a", "b")),
        Default("on_crash", "rerun", ("a", "b")),
        Default("on_failure", "fail", ("a", "b")),
        Default("grace", 5_000, ("a", "b")),
        Default("max_output", 16_777_216, ("a", "b")),
    ]


def test_what_is_written_is_not_listed(defaults: Defaults) -> None:
    assert defaults(WRITTEN) == []


def test_a_default_that_differs_by_item_has_a_row_for_each_value(defaults: Defaults) -> None:
    text = BARE.replace(
        "  b: {run: [x], capabilities: []}", "  b: {run: [x], capabilities: [write]}"
    )
    on_crash = [each for each in defaults(text) if each.key == "on_crash"]
    assert on_crash == [Default("on_crash", "rerun", ("a",)), Default("on_crash", "hold", ("b",))]


def test_elements_run_side_by_side_as_far_as_the_run_lets_them(defaults: Defaults) -> None:
    text = "forge: 1\nwork_items:\n  a: {run: [x], capabilities: [], for_each: [1, 2]}\n"
    assert Default("max_parallel", 4, ("a",)) in defaults(text)


def test_what_a_contract_says_is_no_default(defaults: Defaults, tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text("{}")
    roles = (
        "  r: {capabilities: [read], delegates: {to: [d], capabilities: [read]}, "
        "handler: {kind: command, argv: [x]}}\n"
        "  d: {capabilities: [read], handler: {kind: command, argv: [x]}}\n"
    )
    contract = (
        "  c: {delegator: 'agent:r@1', delegate: 'agent:d@1', purpose: p, scope: ['files:**'], "
        "authority: [read], completion: s.json, deadline: 1h, budget: {model_calls: 1}, "
        "on_failure: fail}\n"
    )
    text = f"forge: 1\nroles:\n{roles}delegations:\n{contract}work_items:\n  a: {{delegation: c}}\n"
    assert "on_failure" not in {default.key for default in defaults(text)}


def test_editors_are_told_the_defaults_that_hold(defaults: Defaults) -> None:
    role = "  r: {capabilities: [], handler: {kind: command, argv: [x]}}\n"
    text = f"forge: 1\nroles:\n{role}work_items:\n  a: {{role: r}}\n"
    told = json.loads(schema())
    owners = [told["$defs"][name] for name in ("Command", "Item", "Settings")] + [told]
    stated = {key: value for owner in owners for key, value in owner["properties"].items()}
    compared = {each.key: each.value for each in defaults(text) if "default" in stated[each.key]}
    assert set(compared) >= {
        "scope",
        "budget",
        "deadline",
        "evidence",
        "required",
        "stdin",
        "grace",
    }
    for key, value in compared.items():
        default = stated[key]["default"]
        assert value == (duration(default) if key in ("deadline", "timeout", "grace") else default)
