"""What the pages show is what forge prints: every command is typed, every output compared."""

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

Program = Callable[[str], ModuleType]
Lasting = Callable[[str], str]

README = Path(__file__).resolve().parents[2] / "README.md"


def commands(page: str) -> list[str]:
    return re.findall(r"^\$ (.+)$", page, re.MULTILINE)


def test_the_readme_opens_with_the_two_commands() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert [line.split()[:2] for line in lines[2:4]] == [["make", "run"], ["make", "test"]]


@pytest.mark.parametrize("word", ["init", "run", "show", "plan", "validate", "runs", "verify"])
def test_the_tour_takes_in_the_main_commands(word: str) -> None:
    assert any(
        command.startswith(f"forge {word}") for command in commands(README.read_text("utf-8"))
    )


def test_the_readme_shows_what_its_commands_print(
    program: Program, lasting: Lasting, tmp_path: Path
) -> None:
    page = README.read_text("utf-8")
    assert lasting(program("console").retyped(page, tmp_path)) == lasting(page)


def test_every_fault_of_the_labs_is_answered_as_the_page_shows(
    program: Program, lasting: Lasting, tmp_path: Path
) -> None:
    console = program("console")
    console.furnish(tmp_path)
    page = console.LABS.read_text("utf-8")
    assert lasting(console.retyped(page, tmp_path)) == lasting(page)


def test_the_page_of_the_labs_has_the_fault_of_every_lab(program: Program) -> None:
    labs = program("console").LABS.parent
    shown = re.findall(
        r"[\w-]+(?=\.fault)", " ".join(commands((labs / "README.md").read_text("utf-8")))
    )
    assert shown == sorted(path.stem for path in labs.glob("*.yaml"))
    assert shown == sorted(path.stem for path in labs.glob("*.fault"))
