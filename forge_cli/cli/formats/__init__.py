"""The shelf of formats: the one table, from which a format's module is imported when it is needed.

A format is a module named after it. Its `write` makes the lines that say what was found.
"""

import os
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from forge_cli.app.validate import Report
from forge_cli.cli.terminal import Terminal


class Checked(NamedTuple):
    """What one call of `forge validate` came to.

    `reports` are of files, by name; `refusals` are sentences on what could not be checked. With
    `strict` warnings fail as well, with `quiet` the findings are all that is said. `root` is the
    folder that a CI service counts the names of files from.
    """

    reports: tuple[Report, ...]
    refusals: tuple[str, ...] = ()
    exit_code: int = 0
    strict: bool = False
    quiet: bool = False
    root: str = os.curdir

    @property
    def unshown(self) -> int:
        """The number of errors that fail although their rules are not among the selected ones."""
        return sum(report.unshown for report in self.reports)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What is said beside the findings: why it fails although they may show no error."""
        return (*self.refusals, unselected(self.unshown)) if self.unshown else self.refusals


class Format(Protocol):
    """What each format's module offers."""

    def write(self, checked: Checked, terminal: Terminal, /) -> Iterable[str]:
        """The lines of the whole output; `terminal` is what they are for."""
        ...


FORMATS: Mapping[str, str] = {
    "full": "the source line of each finding, with what to type",
    "concise": "a line for each finding",
    "json": "one document",
    "jsonl": "an object on each line, for each finding",
    "sarif": "SARIF 2.1.0, for code scanning and editors",
    "junit": "JUnit XML: a test for each finding, and for each sound file",
    "github": "annotations of GitHub Actions, errors first",
    "gitlab": "a code quality report of GitLab",
}
"""Every format, and what it is in a few words."""


def unselected(errors: int) -> str:
    """The sentence on errors that are not told, as their rules are not among the selected ones."""
    count, them = ("an error", "it") if errors == 1 else (f"{errors} errors", "them")
    return f"{count} of other rules than the selected ones: see {them} without --select"


def load(name: str) -> Format:
    """Import a format of the table."""
    return cast(Format, import_module(f"{__name__}.{name}"))
