"""What is advised where an item asks for more than the link above it holds."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse


def only(role: str, item: str) -> Finding:
    text = f"""\
forge: 1
roles: {{r: {{{role}, handler: {{kind: command, argv: [x]}}}}}}
work_items: {{a: {{role: r, {item}}}}}
"""
    found = check(parse(text.encode()), "x.yaml")
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    ("held", "asked", "note", "hint"),
    [
        (
            "[read, write]",
            "[read, wirte]",
            "did you mean 'write'?",
            "write  capabilities: [read, write]",
        ),
        (
            "[read]",
            "[read, wirte]",
            "did you mean 'write'?",
            (
                "write  capabilities: [read]\n"
                "or add 'write' to role 'r', which `forge diff` will call breaking"
            ),
        ),
        (
            "[read]",
            "[repository-read]",
            "'read' allows the same, and is another word",
            (
                "write  capabilities: [read]\n"
                "or add it to role 'r', which `forge diff` will call breaking"
            ),
        ),
        (
            "[read]",
            "[read, network]",
            "not held by the role",
            (
                "write  capabilities: [read]\n"
                "or add it to role 'r', which `forge diff` will call breaking"
            ),
        ),
    ],
)
def test_a_capability_that_the_role_lacks_may_be_misspelt_or_another_word_for_one_it_has(
    held: str, asked: str, note: str, hint: str
) -> None:
    found = only(f"capabilities: {held}", f"capabilities: {asked}")
    assert (found.spot.note, found.hint) == (note, hint)


@pytest.mark.parametrize(
    ("item", "hint"),
    [
        ("writes: ['files:sources/**']", "add 'files:sources/**' to the scope of role 'r'"),
        ("scope: ['files:sources/**']", "add 'files:sources/**' to the scope of role 'r'"),
        (
            "scope: ['files:out/a/**', 'files:sources/**']",
            "write  scope: [files:out/a/**]\nor add 'files:sources/**' to the scope of role 'r'",
        ),
        (
            "scope: ['files:**']",
            "write  scope: [files:out/**]\nor add 'files:**' to the scope of role 'r'",
        ),
        ("scope: ['files:**/*.md']", "write  scope: [files:out/**/*.md]"),
        (
            "for_each: [x, y], scope: ['files:${each}/**']",
            "write  scope: [files:out/**]",
        ),
    ],
)
def test_a_scope_that_the_role_lacks_is_widened_there_and_no_folder_is_made_up(
    item: str, hint: str
) -> None:
    assert only("capabilities: [write], scope: ['files:out/**']", item).hint == hint


def test_a_scope_beyond_the_run_is_widened_at_the_top() -> None:
    found = only("capabilities: [network], scope: ['net:example.org:443']", "goal: x")
    assert found.hint == "write  scope: [files:**, net:example.org:443]  at the top"
