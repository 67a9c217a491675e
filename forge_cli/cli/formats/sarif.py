"""Findings as SARIF 2.1.0 (OASIS), which code scanning services and editors read."""

import json
import os
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

from forge_cli import __version__
from forge_cli.app.validate import Report
from forge_cli.cli.fingerprints import Known, fingerprinted
from forge_cli.cli.formats import Checked, unselected
from forge_cli.cli.formats.json import encodable
from forge_cli.cli.spots import place_of, rooted
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.rules import RULES
from forge_cli.manifest.rules import load as load_rule

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "SRCROOT"
_ROOT_IS = "the checkout that a CI job works in, else the folder that forge was called in"

Object = dict[str, Any]


def write(checked: Checked, _terminal: Terminal) -> Iterator[str]:
    """One document in ASCII with one run, and nothing of the time or the machine in it."""
    yield document(checked, _rule, lambda finding: finding.severity)


def document(
    checked: Checked, describe: Callable[[str], Object], level: Callable[[Finding], str]
) -> str:
    """The same of findings under other rules; `level` is error, warning or note."""
    run = _run(checked, describe, level)
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _run(
    checked: Checked, describe: Callable[[str], Object], level: Callable[[Finding], str]
) -> Object:
    found = [(report, *each) for report in checked.reports for each in _found(report)]
    rules = sorted({finding.rule for _, finding, _ in found})
    driver = {"name": "forge", "version": __version__, "rules": [describe(name) for name in rules]}
    known = fingerprinted(((report, finding) for report, finding, _ in found), checked.root)
    return {
        "tool": {"driver": driver},
        "invocations": [_invocation(checked)],
        "originalUriBaseIds": {_ROOT: {"description": {"text": _ROOT_IS}}},
        "artifacts": [_artifact(report, checked.root) for report in checked.reports],
        "columnKind": "unicodeCodePoints",
        "results": [
            {
                **_result(each, rules, checked.root),
                "level": level(each[1]),
                "suppressions": suppressions,
            }
            for each, (_, _, suppressions) in zip(known, found, strict=True)
        ],
    }


def _found(report: Report) -> list[tuple[Finding, list[Object]]]:
    """The findings of a file in their order, also those that a comment in it silences."""
    told = [(finding, list[Object]()) for finding in report.findings]
    silenced = [
        (finding, [{"kind": "inSource", "justification": encodable(reason)}])
        for finding, reason in report.ignored
    ]
    return sorted([*told, *silenced], key=lambda each: place_of(each[0].spot))


def _rule(name: str) -> Object:
    """A rule as its docstring tells it: the first sentence, the text before the examples, all."""
    doc = load_rule(name).__doc__ or name
    summary, _, _ = doc.partition("\n")
    description, _, _ = doc.partition("\n\nBad:\n")
    return {
        "id": name,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": description},
        "help": {"text": doc, "markdown": doc},
        "defaultConfiguration": {"level": RULES[name].severity},
    }


def _invocation(checked: Checked) -> Object:
    """The call; what could not be read makes it one that did not succeed, findings do not."""
    notifications = [_notification(refusal) for refusal in checked.refusals]
    for report in checked.reports:
        if report.unshown:
            where = {"physicalLocation": {"artifactLocation": _file(report.path, checked.root)}}
            notifications.append(_notification(unselected(report.unshown)) | {"locations": [where]})
    return {
        "executionSuccessful": not checked.refusals,
        "exitCode": checked.exit_code,
        "toolExecutionNotifications": notifications,
    }


def _notification(sentence: str) -> Object:
    return {"level": "error", "message": _message(sentence)}


def _artifact(report: Report, root: str) -> Object:
    return {"location": _file(report.path, root), "roles": ["analysisTarget"]}


def _result(known: Known, rules: list[str], root: str) -> Object:
    report, finding, fingerprint = known
    return {
        "ruleId": finding.rule,
        "ruleIndex": rules.index(finding.rule),
        "message": _message("\n".join(filter(None, (finding.message, finding.hint)))),
        "locations": [_location(finding.spot, report.path, root)],
        "relatedLocations": _related(finding, report.path, root),
        "partialFingerprints": {"forge/v1": fingerprint},
    }


def _related(finding: Finding, path: str, root: str) -> list[Object]:
    spots = [spot for spot in finding.related if spot.place]
    return [{"id": number, **_location(spot, path, root)} for number, spot in enumerate(spots, 1)]


def _location(spot: Spot, path: str, root: str) -> Object:
    place = place_of(spot)
    region = {
        "startLine": place.line,
        "startColumn": place.column,
        "endLine": place.end_line,
        "endColumn": place.end_column,
    }
    where = {"artifactLocation": _file(spot.file or path, root), "region": region}
    note = {"message": _message(spot.note)} if spot.note else {}
    return {"physicalLocation": where, **note}


def _file(path: str, root: str) -> Object:
    """An address below the root where the file is, else an absolute one; any bytes in names."""
    place = rooted(path, root)
    address = quote(os.fsencode(place))
    if place.startswith("/"):
        return {"uri": f"file://{address}"}
    return {"uri": address, "uriBaseId": _ROOT}


def _message(text: str) -> Object:
    """A plain text: what SARIF would read as a link in it (3.11.6) is escaped."""
    if "](" in text:
        text = text.replace("[", "\\[").replace("]", "\\]")
    return {"text": encodable(text)}
