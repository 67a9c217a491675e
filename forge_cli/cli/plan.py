"""`forge plan`: what would run, who does it, what it may do, and what is needed here."""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from forge_cli.app.choice import manifest as only_manifest
from forge_cli.app.course import critical_path, orders
from forge_cli.app.plan import Compiled, compiled, planned
from forge_cli.app.planned import Planned
from forge_cli.app.preparation import Wishes, limited
from forge_cli.app.workspace import workspace_of
from forge_cli.cli.actions import quoted
from forge_cli.cli.arguments import (
    COLOR,
    QUIET,
    VERBOSE,
    Option,
    one_of,
    read_at_once,
    typer_function,
)
from forge_cli.cli.formats import Checked, full
from forge_cli.cli.manifest_options import INPUT, INPUTS, MANIFEST, WORKSPACE
from forge_cli.cli.plan_defaults import lacking
from forge_cli.cli.plan_tables import plan_lines
from forge_cli.cli.terminal import Terminal, complain, prepare_streams, write
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.plan_document import plan_document

FORMAT_VERSION = 1


@dataclass(frozen=True, slots=True)
class View:
    """How much of a plan is shown, and how; `form` is text or json, and JSON has all of it."""

    form: str = "text"
    color: str = "auto"
    quiet: bool = False
    verbose: bool = False
    defaults: bool = False


OPTIONS = (
    INPUT,
    INPUTS,
    WORKSPACE,
    Option(("--defaults",), "List every default that holds as well."),
    Option(("--format",), "text or json.", "text", "FORMAT", one_of("text", "json")),
    COLOR,
    Option(QUIET, "Only what is missing here or refused."),
    Option(VERBOSE, "What each other role lacks; the whole digest."),
)


def plan(
    manifest: str | None,
    input: tuple[str, ...],  # noqa: A002 - the option's name
    inputs: Path | None,
    workspace: Path | None,
    defaults: bool,
    format: str,  # noqa: A002 - likewise
    color: str,
    quiet: bool,
    verbose: bool,
) -> int:
    """Show what would run: order, who and why, each item's grant, budget, what is missing here.

    Nothing is run. Exit status: 0 shown, 2 the manifest is refused.

    \b
    Examples:
      forge plan manifests/software-delivery.yaml
      forge plan manifests/authorization-review.yaml --input change="tighten the refresh"
      forge plan manifests/office-research.yaml --defaults
      forge plan manifests/office-research.yaml --format json
    """
    prepare_streams()
    path = Path(manifest) if manifest else only_manifest(Path(), "forge plan")
    found = compiled(path, time.time_ns() // 1_000_000, workspace)
    view = View(format, color, quiet, verbose, defaults)
    return show(found, path, Wishes(input, inputs, workspace=workspace), view)


def run_at_once(words: Sequence[str]) -> int | None:
    """Runs a command line that is plain, without typer; None if it is not."""
    values = read_at_once(OPTIONS, MANIFEST, words)
    return None if values is None else plan(**values)


def command() -> Callable[..., int]:
    """The same for typer."""
    return typer_function(OPTIONS, MANIFEST, plan)


def show(found: Compiled, path: Path, wishes: Wishes, view: View) -> int:
    """Write the plan that a run with these wishes would have; the exit status."""
    if found.plan is None:
        return refuse(found, path, view.color)
    plan = limited(found, found.plan, wishes.jobs, os.environ)
    folder = workspace_of(path, wishes.workspace)
    told = planned(found, plan, folder, wishes.given, wishes.inputs_file)
    terminal = Terminal.of(sys.stdout, view.color)
    write(sys.stdout, _lines(told, terminal, view))
    return 0


def _lines(told: Planned, terminal: Terminal, view: View) -> Iterable[str]:
    if view.form == "json":
        return [terminal.data(plan_json(told))]
    if view.quiet:
        return lacking(told, terminal)
    return quoted(map(terminal.fit, plan_lines(told, terminal, view.verbose, view.defaults)))


def refuse(found: Compiled, path: Path, color: str) -> int:
    """Tell the findings for which a manifest is neither planned nor run; the exit status is 2."""
    terminal = Terminal.of(sys.stderr, color)
    write(sys.stderr, quoted(full.write(Checked((found.report,)), terminal)))
    complain(f"'{path}' is not valid, so there is no plan of it; mend what is told above")
    return 2


def plan_json(told: Planned) -> str:
    """The report as one JSON object; `plan` is the plan as evidence has it."""
    path = critical_path(told.plan)
    document: dict[str, Json] = {
        "format_version": FORMAT_VERSION,
        "description": told.description,
        "plan": plan_document(told.plan),
        "warnings": told.warnings,
        "orders": orders(told.plan),
        "why": {name: asdict(why) for name, why in told.why.items()},
        "inputs": dict(told.inputs),
        "needed": [asdict(need) for need in told.needs],
        "critical_path": {"items": path.items, "milliseconds": path.length},
        "approvals": told.approvals,
        "refusals": told.refusals,
        "missing": told.missing,
        "defaults": [asdict(default) for default in told.defaults],
        "sandbox": told.sandbox,
    }
    return json.dumps(document, ensure_ascii=False, indent=2)
