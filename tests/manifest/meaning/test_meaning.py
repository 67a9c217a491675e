"""Findings about meaning: their words, their places, and that none follows from another."""

from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.reading.source import parse

Findings = Callable[..., list[Finding]]
TEAM = Path(__file__).parents[1] / "team"
EXAMPLES = sorted((Path(__file__).parents[1] / "examples_ok").glob("*.yaml"))

REVIEWER = """
forge: 1
roles:
  reviewer:
    capabilities: [repository-read]
    scope: [files:src/**, files:tests/**]
    handler: {kind: command, argv: [bin/review]}
work_items:
  build: {run: [make], capabilities: []}
  review:
    role: reviewer
    depends_on: [build]
"""


class _AnyFile(Files):
    """A folder in which every file is there: a schema, a program, or words."""

    def problem(self, name: str) -> str | None:
        return None

    def read(self, name: str) -> bytes | None:
        return {".json": b"{}", ".py": b"from elsewhere import *"}.get(Path(name).suffix, b"words")

    def include(self, name: str) -> bytes | str:
        return (TEAM / Path(name).name).read_bytes()


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_every_example_has_no_findings(path: Path) -> None:
    assert check(parse(path.read_bytes()), path.name, 0, _AnyFile(None)) == []


def only(found: list[Finding]) -> Finding:
    assert len(found) == 1, found
    return found[0]


def rules(found: list[Finding]) -> list[str]:
    return [each.rule for each in found]


def test_a_capability_beyond_the_role_is_told_with_what_the_role_holds(findings: Findings) -> None:
    found = only(findings(REVIEWER + "    capabilities: [repository-read, repository-write]"))
    assert found.message == "'repository-write' exceeds role 'reviewer'"
    assert found.spot == Spot(
        ("work_items", "review", "capabilities", 1), note="not held by the role"
    )
    assert found.related == (
        Spot(
            ("roles", "reviewer", "capabilities"),
            "key",
            "role 'reviewer' holds 1: 'repository-read'",
        ),
    )
    assert found.hint.startswith("write  capabilities: [repository-read]\n")


def test_a_scope_beyond_the_role_is_told_with_a_path_and_a_scope_to_type(
    findings: Findings,
) -> None:
    found = only(findings(REVIEWER + "    scope: [files:src/**, files:**/test_*.py]"))
    assert found.message == "scope exceeds role 'reviewer'"
    assert found.spot == Spot(
        ("work_items", "review", "scope", 1),
        note="reaches 'test_.py', for example, which the role does not",
    )
    assert found.related == (
        Spot(
            ("roles", "reviewer", "scope"),
            "key",
            "role 'reviewer' may touch 2 patterns: files:src/**, files:tests/**",
        ),
    )
    assert found.hint == "write  scope: [files:src/**, files:tests/**/test_*.py]"


def test_writes_beyond_the_scope_are_told(findings: Findings) -> None:
    found = only(
        findings(
            """
            forge: 1
            work_items:
              build:
                run: [make]
                capabilities: [repository-write]
                scope: [files:src/**]
                writes: [files:docs/**]
            """
        )
    )
    assert found.rule == "scope-exceeds-parent"
    assert found.message == "writes exceed scope of item 'build'"


def test_each_element_of_a_list_is_held_against_the_scope_above(findings: Findings) -> None:
    text = """
        forge: 1
        scope: ["files:services/api/**", "files:services/web/**"]
        work_items:
          scan:
            for_each: [api, web, pay]
            run: [scan, "${each}"]
            capabilities: [read]
            scope: ["files:services/${each}/**"]
        """
    found = only(findings(text))
    assert found.spot.note.startswith("reaches 'services/pay/")
    assert findings(text.replace(", pay", "")) == []


def test_an_element_that_only_the_run_knows_is_held_for_any_name(findings: Findings) -> None:
    text = """
        forge: 1
        inputs: {parts: {}}
        scope: ["files:services/*/src/**"]
        work_items:
          scan:
            for_each: "${inputs.parts}"
            run: [scan, "${each}"]
            capabilities: [read]
            scope: ["files:services/${each}/src/**"]
        """
    assert findings(text) == []
    wider = only(findings(text.replace("${each}/src/**", "${each}/**")))
    assert wider.rule == "scope-exceeds-parent"


def test_a_ring_shows_every_link(findings: Findings) -> None:
    found = only(
        findings(
            """
            forge: 1
            work_items:
              a: {run: [x], capabilities: [], depends_on: [b]}
              b: {run: [x, "${items.c.outputs.result}"], capabilities: []}
              c: {run: [x], capabilities: [], after: [a]}
            """
        )
    )
    assert found.message == "item 'a' waits for itself: a -> b -> c -> a"
    assert found.spot.path == ("work_items", "a", "depends_on", 0)
    assert [spot.path for spot in found.related] == [
        ("work_items", "b", "run", 1),
        ("work_items", "c", "after", 0),
    ]


def test_what_hangs_on_a_ring_is_not_told_as_unordered(findings: Findings) -> None:
    found = findings(
        """
        forge: 1
        work_items:
          a: {run: [x], capabilities: [write], depends_on: [b]}
          b: {run: [x], capabilities: [write], depends_on: [a]}
        """
    )
    assert rules(found) == ["dependency-cycle"]


def test_items_that_are_ordered_through_others_do_not_conflict(findings: Findings) -> None:
    text = """
        forge: 1
        work_items:
          a: {run: [x], capabilities: [write]}
          b: {run: [x], capabilities: [], depends_on: [a]}
          c: {run: [x], capabilities: [write], after: [b]}
        """
    assert findings(text) == []
    found = only(findings(text.replace("depends_on: [a]", "depends_on: []")))
    assert found.rule == "write-conflict"
    assert "items 'a' and 'c' may run side by side" in found.message


def test_a_thousand_unordered_writers_are_told_one_by_one(findings: Findings) -> None:
    items = "".join(f"  i{n}: {{run: [x], capabilities: [write]}}\n" for n in range(1000))
    assert len(findings(f"forge: 1\nwork_items:\n{items}")) == 999


def test_an_unknown_item_is_told_once_and_nothing_follows_from_it(findings: Findings) -> None:
    found = only(
        findings(
            """
            forge: 1
            work_items:
              build: {run: [make], capabilities: []}
              check: {run: [x, "${items.biuld.outputs.nothing}"], capabilities: []}
            """
        )
    )
    assert found.message == "there is no item 'biuld'"
    assert found.spot.token == "biuld"
    assert found.spot.note == "did you mean 'build'?"


def test_an_unknown_output_names_the_ones_there_are(findings: Findings) -> None:
    found = only(
        findings(
            """
            forge: 1
            work_items:
              build: {run: [make], capabilities: [], outputs: [log, size]}
              check: {run: [x, "${items.build.outputs.diff}"], capabilities: []}
            """
        )
    )
    assert found.message == "there is no output 'diff' of item 'build'"
    assert found.hint == "known: 'log', 'size'"


def test_a_sibling_in_a_reference_needs_its_whole_name(findings: Findings) -> None:
    found = only(
        findings(
            """
            forge: 1
            work_items:
              team:
                pattern: parallel
                sub_tasks:
                  a: {run: [x], capabilities: []}
                  b: {run: [x, "${items.a.outputs.result}"], capabilities: []}
            """
        )
    )
    assert found.hint == "write  items.team.a"


@pytest.mark.parametrize(
    ("token", "hint"),
    [
        ("${HOME}", "write  ${env.HOME}  and  env: [HOME]  at the top"),
        ("${who}", "write  ${inputs.who}"),
        ("${TOKEN}", "secrets are never filled in"),
        ("${{ inputs.who }}", "write  ${inputs.who}"),
        ("${{ env.HOME }}", "write  ${env.HOME}"),
        ("${items.first.outputs}", "write  ${items.first.outputs.result}"),
        ("${inputs.who", "close it with '}'"),
    ],
)
def test_a_form_of_another_tool_is_shown_with_its_mend(
    token: str, hint: str, findings: Findings
) -> None:
    found = only(
        findings(
            f"""
            forge: 1
            inputs: {{who: {{}}}}
            secrets: [TOKEN]
            work_items:
              first: {{run: [x], capabilities: []}}
              second: {{run: [echo, '{token}'], capabilities: []}}
            """
        )
    )
    assert found.rule == "unknown-interpolation"
    assert found.hint.startswith(hint)


def test_a_doubled_dollar_is_a_dollar(findings: Findings) -> None:
    assert findings("forge: 1\nwork_items: {a: {run: [echo, '$${HOME}'], capabilities: []}}") == []


def test_a_deadline_in_the_past_is_told_only_if_the_time_is_known(findings: Findings) -> None:
    text = "forge: 1\ndeadline: 1970-01-02T00:00:00Z\nwork_items: {a: {run: [x], capabilities: []}}"
    assert findings(text) == []
    found = only(findings(text, now=86_400_000))
    assert (found.rule, found.severity) == ("deadline-past", "warning")


def test_a_time_and_a_span_are_compared_when_the_start_is_known(findings: Findings) -> None:
    text = """
        forge: 1
        deadline: 1970-01-01T02:00:00Z
        work_items: {a: {run: [x], capabilities: [], deadline: 3h}}
        """
    assert findings(text) == []
    assert rules(findings(text, now=1)) == ["deadline-after-parent"]


def test_a_timeout_beyond_the_default_deadline_is_told(findings: Findings) -> None:
    found = only(findings("forge: 1\nwork_items: {a: {run: [x], capabilities: [], timeout: 1d}}"))
    assert found.spot.note == "the run ends at 6h, the default"


def test_a_secret_is_never_shown(findings: Findings) -> None:
    token = "ghp_" + "a1B2" * 9
    found = only(
        findings(f"forge: 1\nwork_items: {{a: {{run: [curl, -H, 'x {token}'], capabilities: []}}}}")
    )
    assert found.rule == "secret-in-manifest"
    assert token not in found.message + found.hint + found.spot.note


def test_ten_thousand_unknown_names_are_told_in_time(findings: Findings) -> None:
    items = "".join(
        f"  i{n}: {{run: [x], capabilities: [], after: [j{n}]}}\n" for n in range(10_000)
    )
    found = findings(f"forge: 1\nwork_items:\n{items}")
    count: dict[str, int] = defaultdict(int)
    for each in found:
        count[each.rule] += 1
    assert count == {"unknown-reference": 10_000}


def test_more_than_ten_thousand_faults_are_not_all_told(findings: Findings) -> None:
    items = "".join(
        f"  i{n}: {{run: [x], capabilities: [], after: [j{n}]}}\n" for n in range(10_001)
    )
    found = findings(f"forge: 1\nwork_items:\n{items}")
    assert len(found) == 10_001
    last = found[-1]
    assert (last.rule, last.message) == (
        "too-many-faults",
        "more than 10,000 faults; the first are told, the others are not",
    )


@pytest.mark.parametrize("each", ["abc", "a ${inputs.n}", "${run}"])
def test_elements_come_from_a_list_an_input_or_an_output(each: str, findings: Findings) -> None:
    found = only(
        findings(
            f"""
            forge: 1
            inputs: {{n: {{}}}}
            work_items: {{a: {{run: [x], capabilities: [], for_each: '{each}'}}}}
            """
        )
    )
    assert found.rule == "bad-reference"


def test_nothing_is_later_than_a_deadline_that_cannot_be_read(findings: Findings) -> None:
    found = findings(
        """
        forge: 1
        deadline: 12:30
        work_items: {a: {run: [x], capabilities: [], timeout: 9h}}
        """
    )
    assert rules(found) == ["bad-value"]


def test_elements_that_write_the_same_side_by_side_are_told(findings: Findings) -> None:
    text = """
        forge: 1
        work_items:
          scan:
            for_each: [api, web, api]
            run: [scan, "${each}"]
            capabilities: [write]
            writes: ["files:${each}/**"]
        """
    found = only(findings(text))
    assert found.rule == "write-conflict"
    assert found.spot.path == ("work_items", "scan", "for_each", 2)
    assert findings(text.replace("web, api", "web, apis")) == []


def test_a_state_key_may_not_have_the_id_of_an_item(findings: Findings) -> None:
    text = """
forge: 1
roles:
  w: {capabilities: [], outputs: [k], handler: {kind: command, argv: [bin/w]}}
work_items:
  k: {role: w, return_channel: "state:k"}
"""
    (undeclared,) = findings(text)
    assert undeclared.rule == "state-owner-conflict"
    assert undeclared.spot.path == ("work_items", "k", "return_channel")
    (declared,) = findings(text + "state: {k: {owner: w}}\n")
    assert (declared.spot.path, declared.spot.part) == (("state", "k"), "key")
