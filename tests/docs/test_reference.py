"""The reference names everything that is there."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from forge_cli.cli.verdict import EXIT

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SCHEMA = ROOT / "forge_cli" / "manifest" / "shape" / "data" / "manifest.schema.json"


def named(page: str) -> set[str]:
    """Every word that a page sets as code."""
    spans = re.findall(r"`([^`\n]+)`", (DOCS / page).read_text("utf-8"))
    return {word for span in spans for word in re.findall(r"[A-Za-z_][\w-]*", span)}


def keys_of(schema: dict[str, Any], definition: str) -> set[str]:
    found = schema["$defs"][definition] if definition else schema
    return set(found["properties"])


def test_the_page_of_the_rules_is_what_the_rules_say(program: Callable[[str], ModuleType]) -> None:
    assert (DOCS / "rules.md").read_text("utf-8") == program("rules").page()


@pytest.mark.parametrize(
    "definition", ["", "Role", "Item", "SubTask", "Delegation", "Retry", "StateKey"]
)
def test_every_key_of_the_language_is_in_the_reference(definition: str) -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    assert sorted(keys_of(schema, definition) - named("manifest.md")) == []


@pytest.mark.parametrize("definition", ["Function", "Command", "Extract"])
def test_every_key_of_a_handler_is_in_its_page(definition: str) -> None:
    schema = json.loads(SCHEMA.read_text("utf-8"))
    assert sorted(keys_of(schema, definition) - named("handlers.md")) == []


def test_every_exit_code_of_a_run_is_in_its_page() -> None:
    page = (DOCS / "exit-codes.md").read_text("utf-8")
    assert {str(code) for code in EXIT.values()} <= set(
        re.findall(r"^\| (\d+) ", page, re.MULTILINE)
    )
