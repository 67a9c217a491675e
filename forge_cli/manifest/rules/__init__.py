"""The shelf of rules: the one table, from which each rule's module is imported when it is needed.

A rule is a module named after its id. Its docstring says what it finds and why, and holds a bad
example, in which a line `#   ^^^` stands under each place that is found, and a good one. Its
`check` yields findings. Files that an example names follow it in blocks of their own.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import NamedTuple, Protocol, cast

from forge_cli.manifest.findings import Finding, Severity
from forge_cli.manifest.subject import Subject


class Check(Protocol):
    """What each rule's module offers."""

    def check(self, subject: Subject) -> Iterator[Finding]:
        """Every finding of this rule, in any order."""
        ...


class Rule(NamedTuple):
    """A row of the table.

    A rule about `reading` tells the faults of the YAML, of its shape or of its comments, and is
    imported if there are any; one about meaning is imported if one of `keys` occurs in the
    manifest, or always. `unused-ignore` is asked once all findings have their places.
    """

    severity: Severity = "error"
    reading: bool = False
    keys: frozenset[str] = frozenset()


def _reading(severity: Severity = "error") -> Rule:
    return Rule(severity, reading=True)


def _meaning(*keys: str, severity: Severity = "error") -> Rule:
    return Rule(severity, keys=frozenset(keys))


RULES: Mapping[str, Rule] = {
    "yaml-syntax": _reading(),
    "foreign-encoding": _reading(),
    "unsafe-text": _reading(),
    "too-large": _reading(),
    "too-deep": _reading(),
    "empty-manifest": _reading(),
    "second-document": _reading(),
    "yaml-directive": _reading(),
    "yaml-anchor": _reading(),
    "yaml-merge-key": _reading(),
    "yaml-tag": _reading(),
    "non-text-key": _reading(),
    "duplicate-key": _reading(),
    "number-out-of-range": _reading(),
    "too-many-faults": _reading(),
    "unreadable-include": _reading(),
    "include-cycle": _reading(),
    "duplicate-definition": _reading(),
    "unknown-key": _reading(),
    "missing-key": _reading(),
    "conflicting-keys": _reading(),
    "null-value": _reading(),
    "wrong-type": _reading(),
    "ambiguous-scalar": _reading(),
    "id-not-slug": _reading(),
    "wrong-form": _reading(),
    "unknown-kind": _reading(),
    "broken-plug-in": _reading(),
    "bad-setting": _reading(),
    "unknown-value": _reading(),
    "out-of-range": _reading(),
    "bad-ignore": _reading("warning"),
    "unused-ignore": _reading("warning"),
    "unknown-reference": _meaning(),
    "version-mismatch": _meaning("roles", "schemas"),
    "bad-reference": _meaning(
        "role",
        "completion",
        "context_package",
        "return_channel",
        "delegations",
        "owner",
        "to",
        "for_each",
    ),
    "unknown-interpolation": _meaning(),
    "unfilled-reference": _meaning("with", "goal", severity="warning"),
    "bad-value": _meaning(
        "deadline",
        "timeout",
        "on_failure",
        "cost_usd",
        "grace",
        "prices",
        "default",
        "with",
        "for_each",
        "outputs",
    ),
    "bad-expression": _meaning("when", "criteria", "extract"),
    "bad-schema": _meaning("schemas", "completion"),
    "missing-file": _meaning("handler", "schemas", "completion"),
    "missing-function": _meaning("call"),
    "self-delegation": _meaning("delegates", "delegations"),
    "capability-exceeds-role": _meaning("roles", "sub_tasks"),
    "authority-exceeds-delegates": _meaning("delegations"),
    "output-exceeds-role": _meaning("outputs"),
    "scope-not-canonical": _meaning("scope", "writes", "artifacts", "transcript", "evidence"),
    "unwritable-scope": _meaning("scope", "writes"),
    "scope-exceeds-parent": _meaning("scope", "writes"),
    "budget-exceeds-parent": _meaning("budget", "max_usage"),
    "budget-oversubscribed": _meaning("budget", severity="warning"),
    "deadline-past": _meaning("deadline", severity="warning"),
    "deadline-after-parent": _meaning("deadline", "timeout"),
    "depth-exceeded": _meaning("delegates", "delegations"),
    "delegation-cycle": _meaning("delegates"),
    "dependency-cycle": _meaning(),
    "no-capable-role": _meaning(),
    "ambiguous-route": _meaning("roles"),
    "route-overprivileged": _meaning("roles", severity="warning"),
    "write-conflict": _meaning(),
    "state-owner-conflict": _meaning("return_channel"),
    "unordered-read": _meaning("return_channel"),
    "risk-understated": _meaning("risk"),
    "missing-compensation": _meaning("on_failure"),
    "unbounded-transcript": _meaning("transcript"),
    "context-too-large": _meaning("max_bytes"),
    "correlated-reviewers": _meaning("review", severity="warning"),
    "joint-too-large": _meaning("pattern"),
    "no-proposal": _meaning("pattern"),
    "reserved-name": _meaning("pattern"),
    "ungranted-tool": _meaning("tool"),
    "unclear-call": _meaning("tool"),
    "unreachable-minimum": _meaning("minimum_successes"),
    "unused-role": _meaning("roles", severity="warning"),
    "secret-in-manifest": _meaning(),
    "inert-key": _meaning(),
}
"""Every rule, in the order in which they are asked."""


def module_name(rule: str) -> str:
    """The module of a rule."""
    return f"{__name__}.{rule.replace('-', '_')}"


def load(rule: str) -> Check:
    """Import a rule of the table."""
    return cast(Check, import_module(module_name(rule)))


def due(subject: Subject) -> Iterator[str]:
    """The rules that could find something in this manifest, in the order of the table."""
    faulty = {fault.rule for fault in subject.source.faults}
    faulty |= {error.rule for error in subject.structure.errors}
    faulty |= {"too-many-faults"} if subject.structure.hopeless else set()
    faulty |= {"bad-ignore"} if subject.source.ignores else set()
    for name, rule in RULES.items():
        if name in faulty if rule.reading else _applies(rule, subject):
            yield name


def _applies(rule: Rule, subject: Subject) -> bool:
    return not rule.keys or not rule.keys.isdisjoint(subject.structure.keys)
