"""What two manifests differ in as SARIF: each change is a result in the new file."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from forge_cli.app.diff import Difference
from forge_cli.app.validate import Report
from forge_cli.cli.diff_text import address
from forge_cli.cli.formats import Checked
from forge_cli.cli.formats.sarif import document
from forge_cli.cli.spots import checkout
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.comparison.changes import Change, Weight
from forge_cli.manifest.comparison.versions import Due
from forge_cli.manifest.findings import Finding, Spot

VERSION_DUE = "version-due"

_LEVELS: Mapping[Weight, str] = {
    "breaking": "error",
    "behavioural": "warning",
    "compatible": "note",
}


def diff_sarif(told: Difference, _terminal: Terminal) -> Iterator[str]:
    """One document; what is no longer there is told at the top of the new file."""
    levels = {_finding(change, told): _LEVELS[change.verdict.weight] for change in told.changes}
    levels |= {_due(due): "error" for due in told.missing}
    report = Report(told.new, tuple(levels), b"")
    code = int(bool(told.missing))
    checked = Checked((report,), exit_code=code, root=checkout(os.environ))
    yield document(checked, _described, levels.__getitem__)


def _finding(change: Change, told: Difference) -> Finding:
    verdict = change.verdict
    rows = (("old", verdict.old), ("new", verdict.new), ("shown by", verdict.witness))
    lines = [f"{verdict.weight}: {change.sentence}", *(f"{w}: {t}" for w, t in rows if t)]
    if change.new is None and change.old is not None:
        lines.append(f"it was at {address(told.old, change.old)}")
    return Finding(change.kind, change.new or Spot(), "\n".join(lines))


def _due(due: Due) -> Finding:
    message = f"the version of {due.part} must rise from {due.old} to {due.due}, {due.weight}"
    return Finding(VERSION_DUE, due.spot, f"{message}; it is {due.new}", f"write  {due.typed}")


def _described(kind: str) -> dict[str, Any]:
    """A kind of change by its name: no more can be said of it without the manifest."""
    return {"id": kind, "shortDescription": {"text": kind.replace("-", " ")}}
