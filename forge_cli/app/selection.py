"""Which rules are told of: those that a command line or a project selects, without the ignored."""

from collections.abc import Sequence
from dataclasses import dataclass

from forge_cli.app.validate import Report
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.rules import RULES
from forge_cli.manifest.suggest import nearest


def rules(text: str) -> tuple[str, ...]:
    """The rules of a list with commas; `ValueError` with the sentence for one that is none."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in RULES:
            meant = nearest(name, tuple(RULES))
            advice = f"did you mean '{meant}'?" if meant else "docs/rules.md lists them all"
            raise ValueError(f"there is no rule '{name}'; {advice}")
    return names


def warnings(text: str) -> tuple[str, ...]:
    """The same for rules that may be ignored; `ValueError` also for one that tells errors."""
    names = rules(text)
    for name in names:
        if RULES[name].severity == "error":
            others = ", ".join(each for each, rule in RULES.items() if rule.severity == "warning")
            raise ValueError(f"'{name}' is an error; only warnings can be ignored: {others}")
    return names


@dataclass(frozen=True, slots=True)
class Choice:
    """The rules that are told of (all, if none is selected), and those whose warnings are not."""

    selected: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    def told(self, report: Report) -> Report:
        """The report with only what is to be told."""
        told = tuple(each for each in report.findings if self._includes(each))
        return report._replace(
            findings=told,
            ignored=tuple(each for each in report.ignored if self._includes(each[0])),
            unshown=_errors(report.findings) - _errors(told),
        )

    def _includes(self, finding: Finding) -> bool:
        if self.selected and finding.rule not in self.selected:
            return False
        # What is an error here is told although its rule most often warns.
        return finding.severity == "error" or finding.rule not in self.ignored


def _errors(findings: Sequence[Finding]) -> int:
    return sum(each.severity == "error" for each in findings)
