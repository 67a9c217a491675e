"""Other tools' words, row by row: each is answered with forge's own, wherever it is written."""

import re

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.foreign import ABSENT, WORDS
from forge_cli.manifest.reading.source import parse
from forge_cli.manifest.shape.language import keys, owners, schema
from forge_cli.manifest.suggest import suggest

KEYS = {word: row for word, row in WORDS.items() if row[0]}
TEXT = """\
forge: 1
roles:
  r:
    capabilities: []
    handler:
      kind: command
      argv: [x]
      # handler
    # role
delegations:
  d:
    # delegation
    delegator: agent:r
    delegate: agent:s
    purpose: x
    scope: []
    authority: []
    completion: schema:c@1
    deadline: 1h
    budget: {}
    on_failure: fail
work_items:
  a:
    pattern: parallel
    sub_tasks:
      b:
        role: r
        # sub-task
    # item
# top
"""


def unknown(level: str, word: str) -> Finding | None:
    """What is said of a key at a level; nothing if that is one of forge's there."""
    text = re.sub(rf"# {level}\n", f"{word}: [x]\n", TEXT)
    found = check(parse(text.encode()), "x.yaml")
    return next((each for each in found if each.rule == "unknown-key"), None)


@pytest.mark.parametrize("word", KEYS)
def test_every_word_that_is_meant_is_one_of_forge(word: str) -> None:
    _, meant = WORDS[word]
    assert set(meant) <= owners().keys()
    assert word not in meant


@pytest.mark.parametrize("level", ["top", "item", "sub-task", "role", "delegation", "handler"])
@pytest.mark.parametrize("word", KEYS)
def test_each_word_is_answered_with_forges_at_every_level(level: str, word: str) -> None:
    finding = unknown(level, word)
    if finding is None or (word in owners() and "forge says" not in finding.spot.note):
        assert word in owners()
        return
    whose, meant = WORDS[word]
    assert finding.spot.note in {f"{whose} word; forge says '{each}'" for each in meant}


@pytest.mark.parametrize("level", ["item", "role"])
@pytest.mark.parametrize("word", ABSENT)
def test_what_forge_has_not_is_answered_with_what_is_done_instead(level: str, word: str) -> None:
    finding = unknown(level, word)
    assert finding is not None
    assert finding.hint == f"delete it: {ABSENT[word][1]}"


@pytest.mark.parametrize(
    ("level", "word", "note", "hint"),
    [
        ("top", "jobs", "GitHub's word; forge says 'work_items'", "add it to 'work_items'"),
        (
            "top",
            "needs",
            "GitHub's word; forge says 'depends_on'",
            "'depends_on' is a key of items and sub-tasks",
        ),
        ("item", "needs", "GitHub's word; forge says 'depends_on'", "write  depends_on: [x]"),
        (
            "item",
            "requires",
            "other tools' word; forge says 'depends_on'",
            "write  depends_on: [x]",
        ),
        (
            "delegation",
            "tools",
            "other tools' word; forge says 'authority'",
            "add it to 'authority'",
        ),
        (
            "role",
            "model",
            "",
            "'model' is a key of handlers of kind 'claude-code', 'codex', 'gemini-cli', ",
        ),
        ("role", "with", "", "'with' is a key of items and sub-tasks"),
        ("handler", "command", "Compose's word; forge says 'argv'", "add it to 'argv'"),
    ],
)
def test_the_hint_says_what_to_write_or_where_it_belongs(
    level: str, word: str, note: str, hint: str
) -> None:
    finding = unknown(level, word)
    assert finding is not None
    assert finding.spot.note == note
    assert finding.hint.startswith(hint)


@pytest.mark.parametrize(
    ("level", "word"),
    [("role", "model"), ("top", "stage"), ("item", "runs-on"), ("sub-task", "channels")],
)
def test_a_word_that_means_something_else_is_not_taken_for_a_slip(level: str, word: str) -> None:
    finding = unknown(level, word)
    assert finding is not None
    assert "did you mean" not in finding.spot.note


def test_a_slip_of_one_letter_is_one_also_where_it_gives_another_word() -> None:
    assert suggest("role", keys(schema()), only_slips=True) == ("roles", "")
    assert suggest("model", ("model_family",), only_slips=True) is None
