"""Columns, rules, bars and wrapped text of at most a hundred columns."""

import textwrap
from collections.abc import Iterable, Sequence

from forge_cli.cli.terminal import width

WIDTH = 100
VERDICT_WIDTH = 99


def left(text: str, columns: int) -> str:
    """The text, filled up with blanks on its right."""
    return text + " " * (columns - width(text))


def right(text: str, columns: int) -> str:
    """The text, filled up with blanks on its left."""
    return " " * (columns - width(text)) + text


def clip(text: str, columns: int) -> str:
    """The text, or as much of it as fits in that many columns with `..` at its end."""
    if width(text) <= columns:
        return text
    kept = ""
    for character in text:
        if width(kept + character) > columns - 2:
            break
        kept += character
    return kept + ".."


def bar(used: int, limit: int, columns: int = 10) -> str:
    """A bar that is as full as `used` is of `limit`; it is full only when all is used."""
    filled = columns if used >= limit else min(used * columns // limit, columns - 1)
    return "█" * filled + "░" * (columns - filled)


def rule(columns: int) -> str:
    """A line across a table of that many columns, its first left blank."""
    return " " + "─" * (columns - 1)


def spread(start: str, end: str, columns: int = VERDICT_WIDTH) -> str:
    """Two texts on one line, the second at its right end."""
    return start + " " * max(columns - width(start) - width(end), 2) + end


def wrap(text: str, columns: int, most: int = 0) -> list[str]:
    """The text in lines of at most that many columns; `..` ends line `most` if more follow."""
    lines = [
        part
        for line in text.split("\n")
        for part in textwrap.wrap(line, columns, break_on_hyphens=False) or [""]
    ]
    lines = [clip(line, columns) for line in lines]
    if most and len(lines) > most:
        last = lines[most - 1]
        if width(last) > columns - 3:
            last = clip(last, columns - 1).removesuffix("..")
        lines = [*lines[: most - 1], f"{last.rstrip()} .."]
    return lines


def hang(head: str, text: str, columns: int = WIDTH, most: int = 0) -> list[str]:
    """The text behind `head`, its further lines below where it began."""
    first, *others = wrap(text, columns - width(head), most)
    return [(head + first).rstrip(), *(" " * width(head) + line for line in others)]


def aligned(rows: Iterable[Sequence[str]], gap: int = 2) -> list[str]:
    """Rows of texts as lines whose columns begin at the same places."""
    kept = [tuple(row) for row in rows]
    widths = [max(map(width, column)) for column in zip(*kept, strict=True)]
    return [
        (" " * gap).join(left(text, w) for text, w in zip(row, widths, strict=True)).rstrip()
        for row in kept
    ]


def labelled(rows: Sequence[Sequence[str]], other: str = "") -> list[str]:
    """Labels, commands and, where it fits, what each is for, below each other.

    A command that is longer than the rest has its meaning right behind it. `other` is a further
    label that has to fit above or below.
    """
    labels = max(len(label) for label in (other, *(row[0] for row in rows)))
    heads = [(f"  {left(row[0], labels)}  {row[1]}", *row[2:]) for row in rows]
    lengths = sorted((width(head[0]) for head in heads), reverse=True)
    columns = next((each for each in lengths if _fits(heads, each)), 0)
    return [_with_meaning(columns, *head) for head in heads]


def _fits(heads: Sequence[tuple[str, ...]], columns: int) -> bool:
    """Whether all that is no longer than so many columns has room for its meaning behind them."""
    meanings = (width(head[1]) for head in heads if head[1:] and width(head[0]) <= columns)
    return columns + 2 + max(meanings, default=0) <= VERDICT_WIDTH


def _with_meaning(columns: int, head: str, meaning: str = "") -> str:
    line = f"{left(head, columns)}  {meaning}".rstrip()
    return line if width(line) <= VERDICT_WIDTH else head


def share(total: int, wanted: Sequence[int], least: int = 8) -> list[int]:
    """Widths of columns that together take at most `total`: the widest give way first."""
    widths = list(wanted)
    while sum(widths) > total and max(widths) > least:
        widths[widths.index(max(widths))] -= 1
    return widths


def flow(head: str, parts: Sequence[str], gap: int = 2, columns: int = WIDTH) -> list[str]:
    """Parts side by side behind `head`; one that does not fit opens a line below the first."""
    lines, empty = [head], True
    for part in parts:
        space = "" if empty else " " * gap
        if not empty and width(lines[-1] + space + part) > columns:
            lines.append(" " * width(head))
            space = ""
        lines[-1] += space + clip(part, columns - width(head))
        empty = False
    return lines
