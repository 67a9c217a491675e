"""The commands that a page shows, with what it says they print."""

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Shown:
    """One command as typed, and the output that the page shows below it."""

    command: str
    output: str


def shown(page: Path) -> list[Shown]:
    """Every `$ command` of the page's console blocks, in order."""
    blocks = "".join(BLOCK.findall(page.read_text("utf-8")))
    parts = re.split(r"^\$ ", blocks, flags=re.MULTILINE)[1:]
    pairs = (part.partition("\n") for part in parts)
    return [Shown(command, output.strip()) for command, _, output in pairs]


@pytest.fixture(scope="module")
def tour() -> list[Shown]:
    """What the README shows."""
    return shown(ROOT / "README.md")
