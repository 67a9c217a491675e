"""The reference names everything that is there."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer.main

from forge_cli.cli.main import COMMANDS, application
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


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_in_its_row_or_said_of_all(command: str) -> None:
    lines = (DOCS / "commands.md").read_text("utf-8").splitlines()
    starts = (f"| `forge {command}`", f"| `forge {command} ", "Every command")
    said = [line for line in lines if line.startswith(starts)]
    assert len(said) == 2
    group: Any = typer.main.get_command(application([command, "schema", "init"]))
    options = [o for each in group.commands[command].params for o in each.opts if o[:2] == "--"]
    assert [each for each in options if f"`{each}" not in " ".join(said)] == []
