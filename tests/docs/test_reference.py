"""The reference names everything that is there."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
import typer

from forge_cli.app.glossary import EXIT_CODES
from forge_cli.cli.main import COMMANDS, application
from forge_cli.cli.verdict import EXIT

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"


def test_the_page_of_the_rules_is_what_the_rules_say(program: Callable[[str], ModuleType]) -> None:
    assert (DOCS / "rules.md").read_text("utf-8") == program("rules").page()


@pytest.mark.parametrize("page", ["manifest.md", "handlers.md"])
def test_the_tables_of_keys_are_what_the_model_says(
    program: Callable[[str], ModuleType], page: str
) -> None:
    text = (DOCS / page).read_text("utf-8")
    assert program("keys").freshened(text) == text


def test_every_mapping_of_the_language_has_its_table(
    program: Callable[[str], ModuleType],
) -> None:
    keys = program("keys")
    tables = [found[1] for page in keys.PAGES for found in keys.TABLE.finditer(page.read_text())]
    assert sorted(tables) == sorted(keys.definitions())


def test_a_table_has_a_row_for_each_key_with_its_meaning_and_an_example(
    program: Callable[[str], ModuleType],
) -> None:
    rows = program("keys").freshened("<!-- keys: Join -->\n").splitlines()[3:]
    told = "Roles that must succeed. **Required.**"
    assert rows == [f"| `minimum_successes` | {told} | `minimum_successes: 2` |"]


def test_the_page_of_the_exit_codes_has_each_that_is_explained() -> None:
    page = (DOCS / "exit-codes.md").read_text("utf-8")
    told = re.findall(r"^\| (\d+) ", page, re.MULTILINE)
    assert sorted(map(int, told)) == sorted(EXIT_CODES)


def test_every_exit_code_of_a_run_is_explained() -> None:
    assert set(EXIT.values()) <= set(EXIT_CODES)


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
