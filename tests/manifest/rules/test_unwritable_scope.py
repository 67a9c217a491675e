"""Which patterns name only what forge alone writes, and which name more."""

from pathlib import Path

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse

WRITER = "{run: [x], capabilities: [repository-write], writes: [%s]}"


def found_in(text: str, files: Files | None = None) -> list[Finding]:
    findings = check(parse(f"forge: 1\n{text}".encode()), "forge.yaml", files=files)
    return [each for each in findings if each.rule == "unwritable-scope"]


@pytest.mark.parametrize(
    ("pattern", "what"),
    [
        ("files:evidence/**", "evidence"),
        ("files:evidence/a/.b", "evidence"),
        ("files:.forge", "what forge keeps for itself"),
        ("files:.forge/runs/*/ledger.db", "what forge keeps for itself"),
    ],
)
def test_a_pattern_within_forges_folders_is_found_where_it_stands(pattern: str, what: str) -> None:
    (found,) = found_in(f"work_items: {{a: {WRITER % f'files:out/**, {pattern}'}}}")
    assert found.message == f"'{pattern}' names only {what}"
    assert found.spot.path == ("work_items", "a", "writes", 1)


@pytest.mark.parametrize(
    "pattern", ["files:**", "files:*/a", "files:evidence-of/**", "files:out/evidence/**"]
)
def test_a_pattern_that_holds_other_files_as_well_is_fine(pattern: str) -> None:
    assert found_in(f"work_items: {{a: {WRITER % pattern}}}") == []


def test_the_manifest_and_what_it_includes_are_found_by_their_paths_from_the_workspace(
    tmp_path: Path,
) -> None:
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "ops"
    folder.mkdir()
    for name in ("forge.yaml", "roles.yaml", "other.yaml"):
        (folder / name).write_text("forge: 1\nroles: {}\n")
    patterns = "files:ops/forge.yaml, files:ops/roles.yaml, files:ops/other.yaml, files:forge.yaml"
    text = f"include: [roles.yaml]\nwork_items: {{a: {WRITER % patterns}}}"
    assert [each.message for each in found_in(text, Files(folder))] == [
        "'files:ops/forge.yaml' names only the manifest",
        "'files:ops/roles.yaml' names only an included file",
    ]


@pytest.mark.parametrize(("elements", "count"), [("[evidence, .forge]", 1), ("[evidence, out]", 0)])
def test_a_pattern_of_elements_is_found_if_that_holds_for_each(elements: str, count: int) -> None:
    writer = WRITER % "'files:${each}/**'"
    item = f"{{for_each: {elements}, {writer[1:]}"
    assert len(found_in(f"work_items: {{a: {item}}}")) == count


ROLE = "roles: {r: {capabilities: [repository-write], handler: {kind: command, argv: [x]}"
DELEGATOR = "q: {capabilities: [repository-write], handler: {kind: command, argv: [y]}}}"
PARTIES = "delegator: q, delegate: r, authority: [repository-write]"
SCOPE = "scope: [files:evidence/**]"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            f"work_items: {{a: {{run: [x], capabilities: [repository-write], {SCOPE}}}}}",
            ("work_items", "a", "scope", 0),
        ),
        (
            f"{ROLE}, {SCOPE}}}}}\nwork_items: {{a: {{role: r}}, b: {{role: r}}}}",
            ("roles", "r", "scope", 0),
        ),
        (
            f"{SCOPE}\nwork_items: {{a: {{run: [x], capabilities: [repository-write]}}}}",
            ("scope", 0),
        ),
        (
            (
                f"{ROLE}}}, {DELEGATOR}\ndelegations: {{d: {{{PARTIES}, {SCOPE}}}}}\n"
                "work_items: {a: {delegation: d}}"
            ),
            ("delegations", "d", "scope", 0),
        ),
        (
            (
                f"work_items: {{a: {{{SCOPE}, sub_tasks: {{b: {{run: [x], "
                "capabilities: [repository-write]}}}}"
            ),
            ("work_items", "a", "scope", 0),
        ),
    ],
)
def test_a_scope_that_says_what_is_written_is_found_once_where_it_is_written(
    text: str, place: tuple[str | int, ...]
) -> None:
    (found,) = found_in(text)
    assert found.spot.path == place


def test_a_scope_that_names_other_files_as_well_or_is_only_read_is_fine() -> None:
    scope = "scope: [files:evidence/**]"
    assert found_in(f"work_items: {{a: {{run: [x], capabilities: [read], {scope}}}}}") == []
    mixed = "scope: [files:evidence/**, files:out/**]"
    item = f"{{run: [x], capabilities: [repository-write], {mixed}}}"
    assert found_in(f"work_items: {{a: {item}}}") == []
