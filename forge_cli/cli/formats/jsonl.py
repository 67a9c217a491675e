"""Findings for programs that read line by line: an object each."""

import json
from collections.abc import Iterator

from forge_cli.cli.formats import Checked
from forge_cli.cli.formats.json import FORMAT_VERSION, entry
from forge_cli.cli.terminal import Terminal


def write(checked: Checked, _terminal: Terminal) -> Iterator[str]:
    """A line in ASCII for each finding: the format's version, and the keys that `json` has."""
    for report in checked.reports:
        for finding in report.findings:
            yield json.dumps({"format_version": FORMAT_VERSION, **entry(report.path, finding)})
