"""From a manifest to its plan, with all that explains it."""

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forge_cli.app.inputs import read_pairs, values_of
from forge_cli.app.needs import needs
from forge_cli.app.planned import Planned, Why
from forge_cli.app.validate import Report, check_file
from forge_cli.app.workspace import workspace_of
from forge_cli.manifest.compile import compile as compile_plan
from forge_cli.manifest.files import Files
from forge_cli.manifest.source import parse, read
from forge_cli.manifest.topology import Topology
from forge_cli.manifest.unsupported import unsupported
from forge_cli.multiagent.plan import Json, Plan


@dataclass(frozen=True, slots=True)
class Compiled:
    """What became of a manifest: the findings and, where none is an error, the plan."""

    report: Report
    plan: Plan | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    refusals: tuple[str, ...] = ()


def compiled(path: Path, now: int, workspace: Path | None = None) -> Compiled:
    """Read, check and compile a manifest; `now` is in milliseconds since the epoch.

    Programs are looked up in the given workspace, else in the manifest's own. `ForgeError` if it
    cannot be read. `refusals` are the sentences of what is valid and cannot be
    run yet.
    """
    data = read(path)
    report = check_file(str(path), data, now)
    source = parse(data).data
    if report.fails() or source is None:
        return Compiled(report)
    programs = Files(workspace_of(path, workspace))
    plan = compile_plan(source, str(path), Files(path.parent), programs)
    return Compiled(report, plan, source, tuple(unsupported(source)))


def planned(
    found: Compiled,
    plan: Plan,
    workspace: Path,
    given: Sequence[str],
    environment: Mapping[str, str] = os.environ,
) -> Planned:
    """What `forge plan` has to tell; `given` are `KEY=VALUE`.

    `ForgeError` for an input that is unknown, given twice or of a wrong type; one that is missing
    is told, as a run would refuse it.
    """
    warnings = sum(finding.severity == "warning" for finding in found.report.findings)
    return Planned(
        plan,
        warnings,
        _reasons(plan, found.data),
        _inputs(plan, read_pairs(given)),
        tuple(needs(plan, workspace, environment)),
        found.refusals,
    )


def _reasons(plan: Plan, data: Mapping[str, Any]) -> dict[str, Why]:
    topology = Topology.of(data)
    named = (i for i in plan.items.values() if not i.role_id.startswith("inline:"))
    reasons = {}
    for item in named:
        if item.role_id:
            told = topology.explain(item.item_id)
            reasons[item.item_id] = Why(told.reason, told.others, told.lacking)
    return reasons


def _inputs(plan: Plan, given: Mapping[str, str]) -> dict[str, str]:
    """Each input with its value and where that is from."""
    values = values_of(plan, given)
    return {key: _told(values, key, key in given) for key in plan.inputs}


def _told(values: Mapping[str, Json], key: str, given: bool) -> str:
    if key not in values:
        return "not given, needed"
    value = values[key]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if given else f"{text} (default)"
