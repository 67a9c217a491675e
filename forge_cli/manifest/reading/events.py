"""YAML events with their marks, from libyaml's parser and nothing else."""

from collections.abc import Iterator
from typing import Any

from forge_cli.errors import ForgeError
from forge_cli.manifest.findings import Place


def events(text: str) -> Iterator[Any]:
    """The events of a text that `text.decode` has cleaned; `yaml.YAMLError` where YAML ends.

    Events never nest the C stack and hold no tree, unlike the loaders of the same library.
    """
    try:
        from yaml._yaml import CParser
    except ImportError:
        raise ForgeError(
            "PyYAML is installed without its C parser, which forge needs; "
            "install a wheel of it: pip install --force-reinstall --only-binary :all: pyyaml"
        ) from None
    return iter(CParser(text).get_event, None)


def place_of(event: Any) -> Place:
    """Where an event stands, its properties (anchor, tag) included."""
    start, end = event.start_mark, event.end_mark
    return Place(start.line + 1, start.column + 1, end.line + 1, end.column + 1)


def place_within(text: str, mark: Any, offset: int, length: int) -> Place:
    """The place of `length` characters at `offset`, which is at or behind `mark`, on one line."""
    line_start = text.rfind("\n", mark.index, offset)
    if line_start < 0:
        line, column = mark.line + 1, mark.column + 1 + offset - mark.index
    else:
        line = mark.line + 1 + text.count("\n", mark.index, offset)
        column = offset - line_start
    return Place(line, column, line, column + length)
