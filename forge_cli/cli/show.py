"""`forge show`: one run, or one item of it, as its ledger tells it."""

import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from forge_cli.app.links import line_of
from forge_cli.app.runs import chosen, short_name
from forge_cli.app.runs import workspace as workspace_at
from forge_cli.app.show import Replay, stored_plan
from forge_cli.app.typed import again, as_typed, where
from forge_cli.cli.board import Board
from forge_cli.cli.console import Console
from forge_cli.cli.header import header, limits, sandbox
from forge_cli.cli.item import ItemStory, heading, item_lines
from forge_cli.cli.lines import Lines
from forge_cli.cli.options import Color, TextOrLines, Workspace, says_less, says_more
from forge_cli.cli.overview import overview
from forge_cli.cli.progress import Progress
from forge_cli.cli.terminal import Terminal, write
from forge_cli.cli.verdict import Outcome, exit_code, standing, verdict
from forge_cli.errors import ForgeError
from forge_cli.ledger.lines import Line
from forge_cli.ledger.reader import Reader
from forge_cli.ledger.runs import RunFolder

_PAUSE = 0.25


@dataclass(frozen=True, slots=True)
class Said:
    """How much is said: only how it ended, all that is known, or what lies between."""

    quiet: bool = False
    verbose: bool = False


AS_USUAL = Said()


def show(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Any unique end of its id; else the latest.")
    ] = None,
    item: Annotated[
        str | None, typer.Argument(metavar="ITEM", help="An item, element or sub-task of it.")
    ] = None,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Go on until the run has ended.")
    ] = False,
    form: TextOrLines = "text",
    color: Color = "auto",
    workspace: Workspace = None,
    quiet: Annotated[bool, says_less("Only the verdict, or how the item ended.")] = False,
    verbose: Annotated[bool, says_more("Lines for each turn; values of items in full.")] = False,
) -> int:
    """Show what a run did: its table and verdict, or all about one item.

    Exit status: 0 shown, 2 there is no such run or item.

    \b
    Examples:
      forge run manifests/office-research.yaml --run-id first
      forge show
      forge show first write
      forge show --follow --format jsonl
    """
    home = workspace_at(Path.cwd(), workspace)
    folder = _chosen(home, run)
    terminal = Terminal.of(sys.stdout, color)
    said = Said(quiet, verbose and not quiet)
    with Reader.open(folder.ledger) as reader:
        replay = Replay(folder, reader, stored_plan(folder, reader))
        if item is not None:
            _check_item(replay, item)
        if form == "jsonl":
            kept = (line.text for line in _lines(replay, follow) if _is_of(line, item))
            _write_each(map(terminal.data, kept))
        elif item is not None:
            lines = item_report(replay, item, follow, terminal, said)
            write(sys.stdout, map(terminal.fit, lines))
        else:
            lines = run_report(replay, home, follow, terminal, said)
            write(sys.stdout, map(terminal.fit, lines))
    return 0


def _chosen(home: Path, run: str | None) -> RunFolder:
    """The run that is meant; an item's name alone is answered with what to type."""
    try:
        return chosen(home, run)
    except ForgeError:
        if run is None or _no_item_of_the_latest(home, run):
            raise
        name = short_name(home, chosen(home, None).run_id)
        raise ForgeError(
            f"no run's id ends in '{run}', which is an item of the latest run; "
            f"write  forge show {name} {run}{where(home)}"
        ) from None


def _no_item_of_the_latest(home: Path, item: str) -> bool:
    try:
        folder = chosen(home, None)
        with Reader.open(folder.ledger) as reader:
            return item.partition(".")[0] not in stored_plan(folder, reader).items
    except ForgeError:
        return True


def _now() -> int:
    return time.time_ns() // 1_000_000


def _lines(replay: Replay, follow: bool) -> Iterator[Line]:
    """The events so far; with `follow` those to come, until the run ends or is abandoned."""
    yield from replay.lines()
    while follow and replay.status(_now()) == "running":
        time.sleep(_PAUSE)
        yield from replay.lines()


def _is_of(line: Line, item: str | None) -> bool:
    return item is None or line.event.item == item or line.event.item.startswith(f"{item}.")


def _write_each(texts: Iterable[str]) -> None:
    """Each line at once, so that whoever reads a run that goes on need not wait."""
    for text in texts:
        write(sys.stdout, [text])


def _check_item(replay: Replay, item: str) -> None:
    names = list(replay.plan.items)
    if item.partition(".")[0] in replay.plan.items:
        return
    close = get_close_matches(item, names, 1)
    meant = f"; did you mean '{close[0]}'?" if close else "."
    known = ", ".join(names[:10]) + (", .." if names[10:] else "")
    raise ForgeError(f"run '{replay.run.run_id}' has no item '{item}'{meant} It has: {known}")


def item_report(
    replay: Replay, item: str, follow: bool, terminal: Terminal, said: Said = AS_USUAL
) -> list[str]:
    """All about one item; `ForgeError` if it did not come into being."""
    story = ItemStory(item)
    for line in _lines(replay, follow):
        story.apply(line.event)
    node = replay.state.nodes.get(item)
    if node is None:
        raise ForgeError(f"run '{replay.run.run_id}' has no '{item}': it did not come into being")
    if said.quiet:
        return heading(node, terminal)
    return item_lines(replay.plan, node, story, terminal, replay.artifacts.get, said.verbose)


def run_report(
    replay: Replay, home: Path, follow: bool, terminal: Terminal, said: Said = AS_USUAL
) -> list[str]:
    """Header, table and verdict of a run; with `follow` only the verdict, behind its progress."""
    events: list[str] = []
    if follow:
        board = _followed(replay, terminal, said)
    else:
        board = _folded(replay, terminal, events if said.verbose else None)
    status = replay.status(_now())
    if status == "abandoned":
        board.abandon()
    block = _block(replay, home, board, terminal, status)
    if follow or said.quiet:
        return block
    plan = replay.plan
    terms = limits(plan, board.deadline, board.started)
    head = header(plan, replay.run.run_id, "engine local", sandbox(board.sandbox))
    now = _now() if status == "running" else board.now
    return [
        *head,
        *([f"  {terms}"] if terms else []),
        "",
        *([*events, ""] if events else []),
        *overview(board, terminal, now),
        "",
        *block,
    ]


def stored_report(folder: RunFolder, home: Path, terminal: Terminal, said: Said) -> list[str]:
    """What is shown of a run that stands still."""
    with Reader.open(folder.ledger) as reader:
        replay = Replay(folder, reader, stored_plan(folder, reader))
        return run_report(replay, home, False, terminal, said)


def _block(replay: Replay, home: Path, board: Board, terminal: Terminal, status: str) -> list[str]:
    """The verdict, or how the run stands."""
    told = replay.told(home)
    outcome = Outcome(
        short_name(home, replay.run.run_id),
        as_typed(told.evidence),
        told.head,
        again(told.manifest, home),
        replay.artifacts.get,
        where(home),
        partial(line_of, told.manifest) if told.manifest else None,
        list(map(str, told.faults)),
    )
    if status in ("running", "abandoned"):
        return standing(board, terminal, status, outcome)
    return verdict(board, terminal, outcome, exit_code(status, board.signal, holds=not told.faults))


def _folded(replay: Replay, terminal: Terminal, events: list[str] | None) -> Board:
    """The run's events folded in, the lines of each added to `events` if they are wanted."""
    board = Board(replay.state)
    lines = Lines(board, terminal, verbose=True)
    for line in replay.lines():
        if events is not None:
            events += lines.of(line.event)
        board.apply(line.event)
    return board


def _followed(replay: Replay, terminal: Terminal, said: Said) -> Board:
    """Shows the run as `forge run` does, from its beginning until it has ended."""

    def emit(text: str) -> None:
        if not said.quiet:
            sys.stdout.write(text)
            sys.stdout.flush()

    def size() -> tuple[int, int]:
        found = shutil.get_terminal_size((100, 24))
        return found.columns, found.lines

    console = Console(emit, terminal, terminal.live, size=size)
    progress = Progress(replay.state, replay.run.run_id, console, said.verbose)
    progress.start()
    try:
        for line in _lines(replay, follow=True):
            progress(line.event)
    finally:
        progress.close()
    return progress.board
