"""Examples in the rules' docstrings, as data."""

import re
from dataclasses import dataclass
from importlib import import_module

from forge_cli.manifest.rules import module_name

_BLOCK = re.compile(
    r"^(?:(Bad|Good)[^\n]*:\n)?```(\S+)(?: ([^\n]+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
_MARKER = re.compile(r"^#( *)(\^+)$")


@dataclass(frozen=True)
class Example:
    """A manifest, what is marked as (line, column, end column), and the files beside it."""

    text: bytes
    marks: tuple[tuple[int, int, int], ...]
    files: dict[str, bytes]


def _marks(text: str) -> tuple[tuple[int, int, int], ...]:
    """A line `#  ^^^` marks what stands above its carets; one that touches the # begins there."""
    found, line = [], 0
    for line_number, content in enumerate(text.splitlines(), 1):
        marker = _MARKER.match(content)
        if not marker:
            line = line_number
            continue
        start = 1 if not marker[1] else 2 + len(marker[1])
        found.append((line, start, 2 + len(marker[1]) + len(marker[2])))
    return tuple(found)


def examples_of(rule: str) -> dict[str, Example]:
    """The bad and the good example of a rule."""
    doc = import_module(module_name(rule)).__doc__ or ""
    texts: dict[str, tuple[str, str]] = {}
    files: dict[str, bytes] = {}
    for kind, _, info, body in _BLOCK.findall(doc):
        if kind:
            texts[kind] = (body, info or "utf-8")
        else:
            files[info] = body.encode()
    return {
        kind: Example(body.encode(encoding), _marks(body), files)
        for kind, (body, encoding) in texts.items()
    }
