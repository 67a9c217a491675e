"""The docs' own programs as modules, and what of a command's output lasts."""

import importlib.util
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
CHANGING = (
    (r"\b\d{8}-\d{6}-[0-9a-f]{4}\b", "RUN"),
    (r"\b[0-9a-f]{64}\b", "DIGEST"),
    (r"(?<=plan )[0-9a-f]{8}\b", "DIGEST"),
    (r"\b\d{4}-\d{2}-\d{2}\b", "DATE"),
    (r"\b\d{2}:\d{2}:\d{2} UTC\b", "CLOCK"),
    (r"(?<!\d)\d+:\d{2}(?![\d:])", "TIME"),
    (r"draft-again", "draft"),
    (r"[ ]+", " "),
)
"""What differs from run to run and from machine to machine, and what stands for it.

Which of two drafts lands first is for the processes to say; the other one is the conflict.
"""


@pytest.fixture
def program() -> Callable[[str], ModuleType]:
    """A program of the docs by its name, as a module."""

    def load(name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"docs_{name}", DOCS / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture
def lasting() -> Callable[[str], str]:
    """A text without what differs from run to run."""

    def normal(text: str) -> str:
        for pattern, word in CHANGING:
            text = re.sub(pattern, word, text)
        return text

    return normal
