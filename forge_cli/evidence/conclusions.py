"""What a pass over a log, and a look at the files beside it, come to: the checks in their order."""

from collections.abc import Iterator
from pathlib import Path

from forge_cli.evidence import artifacts, verification
from forge_cli.evidence.audit import Audit
from forge_cli.evidence.checks import Check, Faults, count
from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import EVENTS, PLAN, RUN, UNCOVERED


def recorded(folder: Path, audit: Audit) -> list[Check]:
    """The checks of evidence that was written from this audit's pass over its log just now.

    The pass need not be made again, nor what was made from it, or has its form from the one
    function that wrote it, compared with itself.
    """
    return conclusions(folder, audit, None, Faults("run"), Faults("forms"))


def conclusions(
    folder: Path, audit: Audit, head: Head | None, run: Faults, forms: Faults
) -> list[Check]:
    """All checks of a folder whose plan is sound; `head` is one that was kept elsewhere.

    `run` are the faults of `run.json`, `forms` those of the files that no head covers.
    """
    plan = audit.plan
    checks = [Check("plan", True, f"{PLAN} has the digest {plan.digest}"), *audit.checks()]
    if audit.whole:
        checks.append(verification.of_head(audit.head, head))
        checks += run.checks(f"{RUN} follows from {PLAN} and {EVENTS}")
        checks += _files(folder, audit)
    right = f"{' and '.join(UNCOVERED)} have their form; no head covers them"
    return [*checks, *forms.checks(right)]


def _files(folder: Path, audit: Audit) -> Iterator[Check]:
    plan = audit.plan
    files = dict(audit.placement.files()) if plan.evidence == "full" else {}
    right = f"{count(len(files), 'artifact')}, each with the digest that the events say"
    if plan.evidence == "digests":
        right = "`settings.evidence: digests` keeps artifacts out"
    yield from artifacts.changed(folder, files).checks(right)
    yield from artifacts.strangers(folder, files).checks("nothing else lies in the folder")
