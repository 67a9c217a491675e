"""Plain data to findings: each cause once, and what is sound is judged beside what is not."""

from forge_cli.manifest.check import check
from forge_cli.manifest.source import parse


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
