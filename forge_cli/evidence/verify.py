"""Verifying the evidence of a run: that it is whole, and that the run kept its contracts."""

from collections.abc import Iterator
from pathlib import Path

from forge_cli.canonical import digest
from forge_cli.evidence import artifacts, document, forms, verification
from forge_cli.evidence.audit import Audit
from forge_cli.evidence.checks import Check, Faults, count
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
    checks = _checks(folder, audit, head, _differences(folder, audit))
    if not anew and verification.passed(checks):
        # Where something else is wrong, the verdict stands whatever was found at another time.
        checks += verification.changed(folder, checks, audit.head)
    return checks


def recorded(folder: Path, audit: Audit) -> list[Check]:
    """The checks of evidence that was written from this audit's pass over its log just now.

    The pass need not be made again, nor what was made from it compared with itself.
    """
    return _checks(folder, audit, None, Faults("run"))


def _checks(folder: Path, audit: Audit, head: Head | None, run: Faults) -> list[Check]:
    plan = audit.plan
    checks = [Check("plan", True, f"{PLAN} has the digest {plan.digest}"), *audit.checks()]
    if audit.whole:
        checks.append(verification.of_head(audit.head, head))
        checks += run.checks(f"{RUN} follows from {PLAN} and {EVENTS}")
        checks += _files(folder, audit)
    return [*checks, *_forms(folder, audit.sandbox)]


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


def _files(folder: Path, audit: Audit) -> Iterator[Check]:
    plan = audit.plan
    files = dict(audit.placement.files()) if plan.evidence == "full" else {}
    right = f"{count(len(files), 'artifact')}, each with the digest that the events say"
    if plan.evidence == "digests":
        right = "`settings.evidence: digests` keeps artifacts out"
    yield from artifacts.changed(folder, files).checks(right)
    yield from artifacts.strangers(folder, files).checks("nothing else lies in the folder")


def _forms(folder: Path, sandbox: str | None) -> Iterator[Check]:
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
    yield from faults.checks(f"{' and '.join(UNCOVERED)} have their form; no head covers them")
