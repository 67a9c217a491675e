"""What a finding is known by from one report to the next: not by its line, which moves."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator

from forge_cli.app.validate import Report
from forge_cli.cli.spots import rooted
from forge_cli.manifest.findings import Finding

Known = tuple[Report, Finding, str]
"""A finding of a report, and 64 hexadecimal digits that no other of the same reports has."""


def fingerprinted(found: Iterable[tuple[Report, Finding]], root: str) -> Iterator[Known]:
    """The findings with their fingerprints; equal ones are told apart by their order.

    `root` is the folder that names of files count from.
    """
    seen = Counter[str]()
    for report, finding in found:
        marks = json.dumps([rooted(finding.spot.file or report.path, root), *_marks(finding)])
        seen[marks] += 1
        text = f"{marks}{seen[marks]}"
        yield report, finding, hashlib.sha256(text.encode()).hexdigest()


def _marks(finding: Finding) -> list[str | None]:
    """The rule and the keys on the way, as amounts and wording may change; else the message."""
    keys = [key for key in finding.spot.path if isinstance(key, str)]
    return [finding.rule, finding.spot.token, *(keys or [finding.message])]
