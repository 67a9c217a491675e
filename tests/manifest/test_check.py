"""Plain data to findings: each cause once, and what is sound is judged beside what is not."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from forge_cli.manifest.check import check
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Path
from forge_cli.manifest.reading.source import Source, parse


def rules(text: str) -> list[str]:
    return [finding.rule for finding in check(parse(text.encode()), "example.yaml")]


def test_a_sound_manifest_has_no_findings() -> None:
    assert rules("forge: 1\nwork_items: {hello: {run: [echo], capabilities: []}}\n") == []


def test_faults_of_the_yaml_and_of_the_shape_come_out_together() -> None:
    text = """\
forge: 1
forge: 1
work_items: {hello: {run: [echo], capabilities: [], needs: []}}
"""
    assert rules(text) == ["duplicate-key", "unknown-key"]


def test_nothing_is_said_of_the_shape_of_what_was_not_read() -> None:
    assert rules("forge: 1\nwork_items: [") == ["yaml-syntax"]
    assert rules("") == ["empty-manifest"]
    assert rules("[1]") == ["wrong-type"]


def test_nothing_is_missing_where_the_reader_left_a_key_out() -> None:
    text = "forge: 1\nwork_items: {hello: {run: [echo], capabilities: &all []}}\n"
    assert rules(text) == ["yaml-anchor"]


def test_findings_come_in_the_same_order_every_time() -> None:
    text = "forge: 2\nzzz: 1\nwork_items: {Hello: {run: [echo], capabilities: }}\n"
    assert rules(text) == ["unknown-key", "null-value", "id-not-slug", "unknown-value"]


WHOLE = parse(
    b"""\
forge: 1
inputs: {change: {default: tighten}}
budget: {model_calls: 60, cost_usd: 12}
roles:
  supervisor:
    version: 7
    capabilities: [repository-read, repository-write, test-run]
    outputs: [diff]
    delegates: {to: [reviewer], capabilities: [repository-read, test-run], depth: 1}
    handler: {kind: function, call: "handlers.py:supervise"}
  reviewer:
    capabilities: [repository-read, test-run]
    outputs: [findings]
    scope: [files:security/**]
    handler: {kind: command, argv: [python3, review.py], extract: {ok: "!is_error"}}
schemas: {findings@3: {type: object}}
context_packages:
  brief:
    summary: {source: attempt-1, author: "agent:supervisor", confidence: "0.8", text: Done.}
delegations:
  delegation-1:
    delegator: agent:supervisor@7
    delegate: agent:reviewer
    purpose: Review
    scope: [files:security/**]
    authority: [repository-read]
    context_package: context:brief
    completion: schema:findings@3
    deadline: 90m
    budget: {model_calls: 6}
    on_failure: {retry: {max_attempts: 3}, then: escalate}
    return_channel: state:findings
state: {findings: {owner: reviewer, merge: append}}
work_items:
  patch: {role: supervisor, goal: "Make ${inputs.change}", writes: [files:security/**]}
  review: {delegation: delegation-1, with: {diff: "${items.patch.outputs.diff}"}}
  scan: {for_each: [a, b], run: [scan, "${each}"], capabilities: [], when: inputs.change}
  both:
    pattern: parallel
    sub_tasks: {one: {run: [one], capabilities: []}, two: {role: reviewer, after: [scan]}}
"""
).data

SCALARS = st.none() | st.booleans() | st.integers(-1, 3) | st.sampled_from(["", "x", "3", "yes"])
VALUES = SCALARS | st.lists(SCALARS, max_size=2) | st.dictionaries(st.just("x"), SCALARS)


def steps(value: Any, path: Path = ()) -> Iterator[Path]:
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for step, inner in pairs:
        yield (*path, step)
        if isinstance(inner, dict | list):
            yield from steps(inner, (*path, step))


def put(data: Any, path: Path, value: Any) -> Any:
    """The data with another value at a path that is there."""
    if not path:
        return value
    changed = data.copy()
    changed[path[0]] = put(data[path[0]], path[1:], value)
    return changed


def exists(data: Any, path: Path) -> bool:
    for step in path:
        if isinstance(data, dict) and step not in data:
            return False
        data = data[step]
    return True


def test_the_whole_language_is_judged_without_a_fault() -> None:
    files = Files(None, {"handlers.py": b"def supervise(turn): ...", "review.py": b""})
    assert [each for each in check(Source(WHOLE), "x", 0, files) if each.severity == "error"] == []


@given(st.sampled_from(list(steps(WHOLE))), VALUES)
@settings(max_examples=300, deadline=None)
def test_any_value_anywhere_gives_findings_at_places_that_are_there(path: Path, value: Any) -> None:
    data = put(WHOLE, path, value)
    for finding in check(Source(data), "x", 0):
        assert exists(data, finding.spot.path)


def test_a_long_value_is_cut_in_what_is_said_of_it() -> None:
    name = "x" * 1_000_000
    text = f"forge: 1\n{name}: 1\nwork_items: {{a: {{role: {name}, scope: [{name}]}}}}"
    found = check(parse(text.encode()), "x.yaml")
    assert found
    assert all(len(each.message) + len(each.hint) + len(each.spot.note) < 2_000 for each in found)
