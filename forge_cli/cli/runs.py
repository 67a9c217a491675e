"""`forge runs`: what has run in this workspace."""

import json
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated

from forge_cli.app.runs import Listed, listed
from forge_cli.app.runs import workspace as workspace_at
from forge_cli.app.typed import as_typed
from forge_cli.cli.figures import clock, elapsed
from forge_cli.cli.options import Color, TextOrJson, Workspace, says_less, says_more
from forge_cli.cli.tables import clip, left, right
from forge_cli.cli.terminal import Terminal, complain, width, write
from forge_cli.cli.words import colour
from forge_cli.multiagent.times import to_text

UNREADABLE = 2

_MOST_NAME = 40
_FAR = 1 << 62


def runs(
    form: TextOrJson = "text",
    color: Color = "auto",
    workspace: Workspace = None,
    quiet: Annotated[bool, says_less("Only the ids.")] = False,
    verbose: Annotated[bool, says_more("Plan, ledger and evidence of each run as well.")] = False,
) -> int:
    """List what has run here, newest first.

    Exit status: 0 listed; 2 the ledger of a run cannot be read, and why is said of each.

    \b
    Examples:
      forge runs
      forge runs --format json
      forge runs --workspace manifests
    """
    found = list(listed(workspace_at(Path.cwd(), workspace), time.time_ns() // 1_000_000))
    terminal = Terminal.of(sys.stdout, color)
    if form == "json":
        write(sys.stdout, map(terminal.data, runs_json(found)))
    elif quiet:
        write(sys.stdout, (terminal.safe(run.run_id) for run in found))
    else:
        write(sys.stdout, runs_lines(found, terminal, verbose))
    faults = [run.fault for run in found if run.fault]
    for fault in faults:
        complain(fault)
    return UNREADABLE if faults else 0


def runs_lines(kept: Sequence[Listed], terminal: Terminal, verbose: bool = False) -> list[str]:
    """A line for each run, with its manifest, how it stands, when it began and how long it took.

    With `verbose` its plan's digest, its ledger and its evidence stand below.
    """
    if not kept:
        return ["nothing has run here yet; `forge run` makes a run"]
    ids = max(width(run.run_id) for run in kept)
    names = min(max([8, *(width(run.name) for run in kept)]), _MOST_NAME)
    head = f"{left('run', ids)}  {left('manifest', names)}  {left('status', 11)}"
    lines = [f"{head}  {left('began', 23)}  {right('took', 7)}"]
    for run in kept:
        name = left(clip(terminal.safe(run.name), names), names)
        status = terminal.ink(colour(run.status), left(run.status, 11))
        began = "-" if run.began is None else clock(run.began, _FAR)
        took = "-"
        if run.began is not None and run.ended is not None:
            took = elapsed(run.ended - run.began)
        run_id = terminal.ink("bold", left(terminal.safe(run.run_id), ids))
        lines.append(f"{run_id}  {name}  {status}  {left(began, 23)}  {right(took, 7)}")
        if verbose:
            lines += _places(run, terminal)
    return lines


def _places(run: Listed, terminal: Terminal) -> Iterator[str]:
    places = [("plan", run.plan), ("ledger", as_typed(run.ledger))]
    for key, text in [*places, ("evidence", as_typed(run.evidence))]:
        if text:
            yield f"  {left(key, 8)}  {terminal.safe(text)}"


def runs_json(runs: Iterable[Listed]) -> Iterator[str]:
    """A JSON object for each run, one on a line; times are RFC 3339 in UTC, unknown ones null."""
    for run in runs:
        fields = {
            "run": run.run_id,
            "name": run.name,
            "status": run.status,
            "began": None if run.began is None else to_text(run.began),
            "last_event": None if run.ended is None else to_text(run.ended),
            "plan": run.plan or None,
            "ledger": None if run.ledger is None else str(run.ledger),
            "evidence": None if run.evidence is None else str(run.evidence),
        }
        yield json.dumps(fields, ensure_ascii=False)
