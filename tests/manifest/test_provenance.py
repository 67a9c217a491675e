"""Whose fault a finding is, where several manifests share a file."""

from collections.abc import Callable, Mapping
from textwrap import dedent

import pytest

from forge_cli.manifest.findings import Finding

Findings = Callable[..., list[Finding]]

MANIFEST = """
    forge: 1
    include: [team/roles.yaml]
    scope: [files:a/**]
    work_items:
      review: {role: reviewer}
"""


def files(**texts: str) -> Mapping[str, bytes]:
    return {f"team/{name}.yaml": dedent(text).encode() for name, text in texts.items()}


DEMANDING = """
    scope: [files:b/**]
    capabilities: []
    budget: {model_calls: 200}
    delegates: {to: [reviewer], depth: 9}
    handler:
      kind: command
      argv: [make, "${inputs.change}"]
      secrets: [GH_TOKEN]
"""
DEMANDS = [
    ("unknown-reference", ("handler", "argv", 1)),
    ("unknown-reference", ("handler", "secrets", 0)),
    ("scope-exceeds-parent", ("scope", 0)),
    ("budget-exceeds-parent", ("budget", "model_calls")),
    ("depth-exceeded", ("delegates", "depth")),
]
REVIEWER = "{capabilities: [], handler: {kind: command, argv: [make]}}"


def roles(**written: str) -> Mapping[str, bytes]:
    text = "roles:\n"
    for name, role in written.items():
        body = (
            role
            if role.startswith("{")
            else "\n" + "\n".join(f"    {line}" for line in dedent(role).strip().splitlines())
        )
        text += f"  {name}: {body}\n"
    return files(roles=text)


def test_what_a_role_that_is_not_used_would_need_is_no_fault(findings: Findings) -> None:
    found = findings(MANIFEST, files=roles(reviewer=REVIEWER, builder=DEMANDING))
    assert found == []


def test_what_a_role_that_is_used_needs_is_told_with_where_it_is_included(
    findings: Findings,
) -> None:
    text = MANIFEST + "      build: {role: builder}\n"
    found = findings(text, files=roles(reviewer=REVIEWER, builder=DEMANDING))
    assert [(each.rule, each.spot.path[2:]) for each in found] == DEMANDS
    assert {each.spot.file for each in found} == {"team/roles.yaml"}
    assert all(any(not spot.file for spot in each.related) for each in found)
    assert [spot.path for spot in found[0].related] == [("include", 0)]


def test_a_role_is_used_too_if_one_that_is_used_delegates_to_it(findings: Findings) -> None:
    lead = REVIEWER[:-1] + ", delegates: {to: [builder], depth: 1}}"
    text = MANIFEST.replace("files:a/**", "files:**")
    found = findings(text, files=roles(reviewer=lead, builder=DEMANDING.replace("9", "1")))
    assert [each.rule for each in found if each.spot.path[:2] == ("roles", "builder")] == [
        rule for rule, _ in DEMANDS if rule not in ("scope-exceeds-parent", "depth-exceeded")
    ]


def test_a_role_of_a_file_that_is_not_used_is_no_fault(findings: Findings) -> None:
    own = "    roles: {mine: " + REVIEWER + "}\n"
    found = findings(MANIFEST + own, files=roles(reviewer=REVIEWER, builder=REVIEWER))
    assert [(each.rule, each.spot.path) for each in found] == [("unused-role", ("roles", "mine"))]


@pytest.mark.parametrize(
    ("role", "rule"),
    [
        ("{capabilities: [audit], handler: {kind: command, argv: [make]}}", "unknown-reference"),
        (REVIEWER[:-1] + ", delegates: {to: [nobody]}}", "unknown-reference"),
        ('{capabilities: [], handler: {kind: function, call: "h.py:f"}}', "missing-file"),
    ],
)
def test_a_fault_of_the_file_itself_is_told_whoever_uses_it(
    findings: Findings, role: str, rule: str
) -> None:
    (finding,) = findings(MANIFEST, files=roles(reviewer=REVIEWER, builder=role))
    assert (finding.rule, finding.spot.file, finding.related) == (rule, "team/roles.yaml", ())


def test_files_are_named_as_the_included_file_names_them(findings: Findings) -> None:
    role = '{capabilities: [], handler: {kind: function, call: "h.py:revie"}}'
    handlers = {"team/h.py": b"def review(turn): ...\n"}
    (finding,) = findings(MANIFEST, files={**roles(reviewer=role), **handlers})
    assert finding.message == "'h.py' has no function 'revie'"
    assert finding.spot.token == "revie"


def test_a_schema_is_followed_from_the_folder_of_the_file(findings: Findings) -> None:
    text = (
        "schemas: {a@1: a.json, b@1: {$ref: gone.json}}\n"
        + roles(reviewer=REVIEWER)["team/roles.yaml"].decode()
    )
    schemas = {"team/a.json": b'{"$ref": "b.json"}', "team/b.json": b'{"type": "x"}'}
    found = findings(MANIFEST, files={**files(roles=text), **schemas})
    assert [each.message for each in found] == [
        "schema 'b.json' at /type: 'x' is not valid under any of the given schemas",
        "schema 'b@1': the reference 'gone.json' leads to 'gone.json', which does not exist",
    ]


def test_a_file_above_the_included_one_is_refused(findings: Findings) -> None:
    role = '{capabilities: [], handler: {kind: function, call: "../h.py:f"}}'
    (finding,) = findings(MANIFEST, files={**roles(reviewer=role), "h.py": b"def f(turn): ...\n"})
    assert finding.message == "handler file '../h.py' lies outside the included file's folder"
