"""From a manifest to its plan, with all that explains it."""

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from forge_cli.app.agents import lacking
from forge_cli.app.defaults import defaults
from forge_cli.app.inputs import read_file, read_pairs, values_of
from forge_cli.app.needs import needs
from forge_cli.app.planned import Planned, Why
from forge_cli.app.sandbox import reached
from forge_cli.app.servers import lacking as lacking_servers
from forge_cli.app.unpriced import unpriced
from forge_cli.app.validate import Report, beside, report
from forge_cli.app.weights import overweight
from forge_cli.app.workspace import workspace_of
from forge_cli.errors import ForgeError
from forge_cli.evidence.garbage import uncollected
from forge_cli.manifest.check import subject_of
from forge_cli.manifest.compilation.compile import compile as compile_plan
from forge_cli.manifest.compilation.unsupported import unsupported
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Path as FindingPath
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.reading.inclusion import KEYS
from forge_cli.manifest.reading.source import Origin, parse, read
from forge_cli.multiagent.plan import Json, Plan


@dataclass(frozen=True, slots=True)
class Compiled:
    """What became of a manifest: the findings and, where none is an error, plan and meaning.

    `data` is what it says, with what it includes, and `origins` where the latter is from.
    `refusals` are the sentences of what is valid and cannot be run yet.
    """

    report: Report
    plan: Plan | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    refusals: tuple[str, ...] = ()
    origins: Mapping[FindingPath, Origin] = field(default_factory=dict)
    topology: Topology | None = None


def compiled(
    path: Path, now: int, workspace: Path | None = None, under_way: Plan | None = None
) -> Compiled:
    """Read, check and compile a manifest; `now` is in milliseconds since the epoch.

    Programs are looked up in the given workspace, else in the manifest's own; what items of the
    plan that is `under_way` may write is as it was for that. `ForgeError` if it cannot be read.
    """
    programs = Files(workspace_of(path, workspace))
    return compiled_from(read(path), str(path), beside(str(path)), programs, now, under_way)


@uncollected()
def compiled_from(
    data: bytes,
    path: str,
    files: Files,
    programs: Files,
    now: int | None = None,
    under_way: Plan | None = None,
) -> Compiled:
    """The same of a manifest's bytes; `files` is what lies beside it, `programs` where they run.

    `ForgeError` for a file that manifests include and that is none itself.
    """
    source = parse(data)
    if source.data and "forge" not in source.data and source.data.keys() <= set(KEYS):
        raise ForgeError(
            f"'{path}' has only what manifests share (roles, schemas, capabilities) and is none "
            "itself; name a manifest that includes it"
        )
    subject = subject_of(source, path, now, files)
    found = report(subject, data)
    if found.fails() or source.data is None:
        return Compiled(found)
    topology = subject.topology
    included = subject.source.included
    plan = compile_plan(topology, path, files, programs, included, under_way)
    refusals = tuple(unsupported(topology))
    return Compiled(found, plan, subject.data, refusals, subject.source.origins, topology)


def planned(
    found: Compiled,
    plan: Plan,
    workspace: Path,
    given: Sequence[str],
    file: Path | None = None,
    environment: Mapping[str, str] = os.environ,
) -> Planned:
    """What `forge plan` has to tell; `given` are `KEY=VALUE`, `file` holds more inputs.

    `ForgeError` for an input that is unknown, given twice or of a wrong type; one that is missing
    is told, as a run would refuse it.
    """
    warnings = sum(finding.severity == "warning" for finding in found.report.findings)
    topology = Topology(found.data, found.origins)
    pairs, more = read_pairs(given, plan.inputs), {} if file is None else read_file(file)
    values = values_of(plan, pairs, more)
    held = reached(plan, environment)
    return Planned(
        plan,
        warnings,
        _reasons(plan, topology),
        _inputs(plan, found.data, values, {*pairs, *more}),
        tuple(needs(plan, workspace, environment)),
        (
            *found.refusals,
            *overweight(plan, workspace),
            *lacking(plan),
            *lacking_servers(plan),
            *unpriced(plan),
            *held.reasons,
        ),
        found.data.get("description", ""),
        _approvals(topology),
        tuple(name for name in plan.inputs if name not in values),
        defaults(plan, topology),
        held.text,
        held.advice,
    )


def _approvals(topology: Topology) -> tuple[str, ...]:
    """The items that may not run without somebody's decision."""
    nodes = [node for node in topology.nodes.values() if not node.children]
    asked = (n for n in nodes if "approval" in n.written or n.written.get("risk") == "irreversible")
    return tuple(node.item_id for node in asked)


def _reasons(plan: Plan, topology: Topology) -> dict[str, Why]:
    named = (i for i in plan.items.values() if not i.role_id.startswith("inline:"))
    reasons = {}
    for item in named:
        if item.role_id:
            told = topology.explain(item.item_id)
            reasons[item.item_id] = Why(told.reason, told.others, told.lacking)
    return reasons


def _inputs(
    plan: Plan, data: Mapping[str, Any], values: Mapping[str, Json], named: Collection[str]
) -> dict[str, str]:
    """Each input with its value, where that is from, and what it is for."""
    return {
        key: _told(values, key, key in named) + _purpose(data["inputs"][key]) for key in plan.inputs
    }


def _purpose(declared: Mapping[str, Any]) -> str:
    return f": {declared['description']}" if declared.get("description") else ""


def _told(values: Mapping[str, Json], key: str, given: bool) -> str:
    if key not in values:
        return "not given, needed"
    value = values[key]
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if given else f"{text} (default)"
