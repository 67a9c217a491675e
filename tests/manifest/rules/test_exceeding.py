"""What is advised where an item asks for more than the link above it holds."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse

BREAKING = ", which `forge diff` will call breaking"


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
            f"write  capabilities: [read]\nor add 'write' to role 'r'{BREAKING}",
        ),
        (
            "[read]",
            "[repository-read]",
            "'read' allows the same, and is another word",
            f"write  capabilities: [read]\nor add it to role 'r'{BREAKING}",
        ),
        (
            "[read]",
            "[read, network]",
            "not held by the role",
            f"write  capabilities: [read]\nor add it to role 'r'{BREAKING}",
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
        (
            "writes: ['files:sources/**']",
            f"add 'files:sources/**' to the scope of role 'r'{BREAKING}",
        ),
        (
            "scope: ['files:sources/**']",
            f"add 'files:sources/**' to the scope of role 'r'{BREAKING}",
        ),
        (
            "scope: ['files:out/a/**', 'files:sources/**']",
            (
                "write  scope: [files:out/a/**]\n"
                f"or add 'files:sources/**' to the scope of role 'r'{BREAKING}"
            ),
        ),
        (
            "scope: ['files:**']",
            f"write  scope: [files:out/**]\nor add 'files:**' to the scope of role 'r'{BREAKING}",
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
    assert found.hint == f"write  scope: [files:**, net:example.org:443]  at the top{BREAKING}"


def test_a_scope_that_is_faulty_itself_is_not_advised() -> None:
    scope = "scope: ['files:out/../x', 'files:out/a', 'files:sources/**']"
    text = f"""\
forge: 1
scope: ['files:out/**']
work_items: {{a: {{run: [x], capabilities: [], {scope}}}}}
"""
    exceeding, canonical = sorted(check(parse(text.encode()), "x.yaml"))
    assert canonical.rule == "scope-not-canonical"
    assert exceeding.hint.startswith("write  scope: [files:out/a]\n")


@pytest.mark.parametrize(
    "texts",
    [
        ("work_items: {a: {run: [x], capabilities: [], budget: {model_calls: 101}}}",),
        ("work_items: {a: {run: [x], capabilities: [], deadline: 7h}}",),
        (
            "roles: {r: {capabilities: [], delegates: {to: [s], depth: 9}, HANDLER},",
            "  s: {capabilities: [], HANDLER}}",
            "work_items: {a: {role: r}}",
        ),
    ],
)
def test_raising_a_limit_above_is_said_to_break(texts: tuple[str, ...]) -> None:
    text = "\n".join(("forge: 1", *texts, ""))
    text = text.replace("HANDLER", "handler: {kind: command, argv: [x]}")
    (found,) = check(parse(text.encode()), "x.yaml")
    ways = found.hint.split("\n")
    assert len(ways) == 2
    assert ways[0].startswith("write  ")
    assert ways[1].endswith(BREAKING)
