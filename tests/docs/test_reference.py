"""The reference names everything that is there."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer

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


def sections() -> dict[str, str]:
    """The page of the commands by its headings."""
    page = (DOCS / "commands.md").read_text("utf-8")
    return dict(part.split("\n", 1) for part in page.split("\n## ")[1:])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_of_a_command_is_in_its_section(command: str) -> None:
    found = sections()
    heading = next(head for head in found if head.split()[:2] == ["forge", command])
    page = found[heading] + found["Options of every command"]
    declared = typer.main.get_group(application([command])).commands[command].params
    names = [name for each in declared for name in each.opts if name.startswith("-")]
    assert [name for name in names if not re.search(rf"`{name}[` ]", page)] == []


def test_every_option_of_the_program_itself_is_in_the_page() -> None:
    page = (DOCS / "commands.md").read_text("utf-8")
    declared = typer.main.get_command(application(list(COMMANDS))).params
    names = [name for each in declared for name in each.opts]
    assert "--install-completion" in names
    assert [name for name in names if name not in page] == []
