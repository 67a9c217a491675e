"""Verifying the evidence of a run: that it is whole, and that the run kept its contracts."""

from pathlib import Path

from forge_cli.canonical import digest
from forge_cli.evidence import artifacts, document, forms, verification
from forge_cli.evidence.audit import Audit
from forge_cli.evidence.checks import Check, Faults
from forge_cli.evidence.conclusions import conclusions
from forge_cli.evidence.garbage import uncollected
from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import (
    COVERED,
    ENVIRONMENT,
    EVENTS,
    PLAN,
    RUN,
    UNCOVERED,
)
from forge_cli.evidence.log import lines_of
from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.plan_document import plan_from_document


@uncollected()
def verify(folder: Path, head: Head | None = None, anew: bool = False) -> list[Check]:
    """The checks of an evidence folder, in the order in which one rests on the other.

    What a fault makes impossible to check is left out. `head` is one that was kept elsewhere:
    without it, whoever rewrote all files consistently is not found out. Of `environment.json`,
    which differs between machines, the form and the sandbox are checked. `verification.json` must
    say what is found here, unless it is to be written `anew`.
    """
    absent = artifacts.missing(folder, (*COVERED, ENVIRONMENT))
    if absent:
        return list(absent.checks(""))
    faults = Faults("plan")
    plan = _read_plan(folder, faults)
    if plan is None or faults:
        return list(faults.checks(""))
    audit = Audit(folder, plan)
    audit.read(lines_of(folder / EVENTS))
    audit.finish()
    differences = _differences(folder, audit)
    checks = conclusions(folder, audit, head, differences, _forms(folder, audit.sandbox))
    if not anew and verification.passed(checks):
        # Where something else is wrong, the verdict stands whatever was found at another time.
        checks += verification.changed(folder, checks, audit.head)
    return checks


def _read_plan(folder: Path, faults: Faults) -> Plan | None:
    data = (folder / PLAN).read_bytes()
    try:
        written = document.parse(data)
        plan = plan_from_document(written)
        line = document.difference(data, document.render(written))
        due = digest({key: value for key, value in written.items() if key != "digest"})
    except Exception as fault:  # noqa: BLE001  # whatever is wrong with it, it is no plan
        faults.add(f"{PLAN} cannot be read: {fault}")
        return None
    if plan.digest != due:
        faults.add(f"{PLAN} was changed: its digest is {due}, it says {plan.digest}")
    if line is not None:
        faults.add(f"{PLAN}:{line}: this is not how forge writes that plan")
    return plan


def _differences(folder: Path, audit: Audit) -> Faults:
    faults = Faults("run")
    if not audit.whole:
        return faults
    due = document.render(audit.summary.document(audit.head.root))
    line = document.difference((folder / RUN).read_bytes(), due)
    if line is not None:
        faults.add(f"{RUN}:{line}: this does not follow from {PLAN} and {EVENTS}")
    return faults


def _forms(folder: Path, sandbox: str | None) -> Faults:
    faults = Faults("forms")
    for name in UNCOVERED:
        path = folder / name
        if path.exists():
            fault = forms.violation(name, path.read_bytes())
            if fault:
                faults.add(f"{name}: {fault}")
            elif name == ENVIRONMENT and sandbox is not None:
                said = document.parse(path.read_bytes())["sandbox"]
                if said != sandbox:
                    faults.add(f"{name}: the sandbox is {said!r}, the run began with {sandbox!r}")
    return faults
