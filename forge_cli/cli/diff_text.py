"""What two manifests differ in, for people: each change, the versions, and a verdict."""

from collections.abc import Iterator

from forge_cli.app.diff import Difference
from forge_cli.cli.figures import count
from forge_cli.cli.spots import place_of
from forge_cli.cli.tables import WIDTH, aligned, hang, rule, spread
from forge_cli.cli.terminal import Terminal, width
from forge_cli.manifest.comparison.changes import WEIGHTS, Change, Weight
from forge_cli.manifest.comparison.versions import Due
from forge_cli.manifest.findings import Spot

INK = {"breaking": "red", "behavioural": "yellow", "compatible": "green"}

_COLUMN = 13
_MOST_LINES = 6


def diff_lines(
    told: Difference, terminal: Terminal, quiet: bool = False, verbose: bool = False
) -> Iterator[str]:
    """The whole output; with `quiet` the verdict, with `verbose` the places in both files."""
    if not quiet:
        yield from hang("", terminal.safe(f"{told.old} -> {told.new}  {tally(told)}"))
        for change in told.changes:
            yield ""
            yield from _change(change, told, terminal, verbose)
        yield from _versions(told, terminal)
        yield ""
    yield from _verdict(told, terminal)


def tally(told: Difference) -> str:
    """`3 changes: 2 breaking, 1 compatible`"""
    weights = [change.verdict.weight for change in told.changes]
    counts = [f"{weights.count(w):,} {w}" for w in WEIGHTS if w in weights]
    return ": ".join([count(len(weights), "change"), *([", ".join(counts)] if counts else [])])


def where(change: Change, told: Difference) -> tuple[str, Spot]:
    """The file and the spot at which a change is shown first."""
    if change.side == "old" or change.new is None:
        return told.old, change.old or Spot()
    return told.new, change.new


def other(change: Change, told: Difference) -> tuple[str, Spot] | None:
    """The same in the other file, where there is something of it."""
    if change.side == "old" or change.new is None:
        return None if change.new is None else (told.new, change.new)
    return None if change.old is None else (told.old, change.old)


def address(file: str, spot: Spot) -> str:
    """`fix.forge.yaml:31:5`"""
    place = place_of(spot)
    return f"{spot.file or file}:{place.line}:{place.column}"


def loud(weight: Weight) -> str:
    """The word for a weight: in capitals what a person must see."""
    return weight.upper() if weight == "breaking" else weight


def _change(change: Change, told: Difference, terminal: Terminal, verbose: bool) -> Iterator[str]:
    verdict = change.verdict
    head = terminal.ink(INK[verdict.weight], loud(verdict.weight))
    head += " " * (_COLUMN - len(verdict.weight))
    place = terminal.safe(address(*where(change, told)))
    line = spread(terminal.safe(change.sentence), place, WIDTH - _COLUMN)
    if width(line) <= WIDTH - _COLUMN:
        yield head + line
    else:
        yield head + terminal.safe(change.sentence)
        yield from hang(" " * _COLUMN, place)
    beyond = other(change, told) if verbose else None
    rows = [("old", verdict.old), ("new", verdict.new), ("shown by", verdict.witness)]
    rows += [("also", address(*beyond))] if beyond is not None else []
    for word, text in rows:
        if text:
            yield from hang(f"{'':{_COLUMN}}{word:10}", terminal.safe(text), WIDTH, _MOST_LINES)


def _versions(told: Difference, terminal: Terminal) -> Iterator[str]:
    if not told.dues:
        return
    rows = [("version", "old", "new", "due", "")]
    rows += [(terminal.safe(d.part), d.old, d.new, f"{d.due}", _state(d)) for d in told.dues]
    head, *lines = [f" {line}" for line in aligned(rows)]
    yield ""
    yield head
    yield rule(max(map(width, [head, *lines])))
    yield from lines


def _state(due: Due) -> str:
    return f"risen, {due.weight}" if due.shown else f"must rise, {due.weight}"


def _verdict(told: Difference, terminal: Terminal) -> Iterator[str]:
    missing = told.missing
    if not missing:
        word = "SHOWN" if told.changes else "UNCHANGED"
        text = "the versions show what changed" if told.changes else "both mean the same"
        yield terminal.ink("green", word) + spread(f"  {text}", "exit 0", 99 - len(word))
        return
    text = f"  {count(len(missing), 'version')} must rise for what changed"
    yield terminal.ink("red", "DUE") + spread(text, "exit 1", 96)
    for due in missing:
        line = f"  write  {due.typed}  in {due.part}, {address(told.new, due.spot)}"
        yield from hang("", terminal.safe(line))
