"""What files bring that a manifest includes, and what is wrong with them, in their places."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from forge_cli.manifest.check import check, subject_of
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.inclusion import MAX_FILES
from forge_cli.manifest.reading.places import locate_all
from forge_cli.manifest.reading.source import MAX_SIZE, parse

ROLE = "{capabilities: [], handler: {kind: command, argv: [make]}}"
ITEM = "work_items: {build: {run: [make], capabilities: []}}\n"
MANIFEST = f"forge: 1\ninclude: [team/a.yaml]\n{ITEM}"

Texts = Mapping[str, str]


def encoded(files: Texts) -> dict[str, bytes]:
    return {name: text.encode() for name, text in files.items()}


def found(text: str, files: Texts, path: str = "m.yaml") -> list[Finding]:
    findings = check(parse(text.encode()), path, None, Files(None, encoded(files)))
    return locate_all(findings, text.encode(), encoded(files))


def told(text: str, files: Texts) -> list[tuple[str, str, int, int]]:
    """Rule, file, line and column of each finding."""
    places = [(each, each.spot.place) for each in found(text, files)]
    return [(e.rule, e.spot.file, p.line, p.column) for e, p in places if p is not None]


def test_roles_schemas_and_capabilities_come_from_included_files() -> None:
    text = """forge: 1
include: [team/a.yaml]
work_items: {review: {role: reviewer, completion: "schema:verdict@1"}}
"""
    files = {
        "team/a.yaml": f"include: [../words.yaml]\nroles: {{reviewer: {ROLE}}}\n".replace(
            "capabilities: []", "capabilities: [audit]"
        ),
        "words.yaml": "capabilities: {audit: []}\nschemas: {verdict@1: {type: object}}\n",
    }
    assert found(text, files) == []


def test_a_file_that_several_include_is_taken_in_once() -> None:
    text = f"forge: 1\ninclude: [a.yaml, b.yaml, a.yaml]\n{ITEM}"
    files = {
        "a.yaml": "include: [c.yaml]\n",
        "b.yaml": "include: [./c.yaml]\n",
        "c.yaml": f"roles: {{reviewer: {ROLE}}}\n",
    }
    assert found(text, files) == []


def test_faults_of_the_yaml_are_told_in_their_file() -> None:
    text = "roles:\n  a: &x {}\n  b: [\n"
    assert told(MANIFEST, {"team/a.yaml": text}) == [
        ("yaml-syntax", "team/a.yaml", 3, 6),
        ("yaml-anchor", "team/a.yaml", 2, 6),
    ]


def test_both_places_of_a_duplicate_key_are_in_their_file() -> None:
    text = f"roles:\n  a: {ROLE}\n  a: {ROLE}\n"
    (finding,) = found(MANIFEST, {"team/a.yaml": text})
    assert finding.rule == "duplicate-key"
    assert {spot.file for spot in (finding.spot, *finding.related)} == {"team/a.yaml"}


def test_faults_of_the_shape_are_told_in_their_file() -> None:
    text = 'roles:\n  a: {capabilities: null, budgets: {}, version: "1"}\n'
    assert sorted(told(MANIFEST, {"team/a.yaml": text})) == [
        ("missing-key", "team/a.yaml", 2, 3),
        ("null-value", "team/a.yaml", 2, 21),
        ("unknown-key", "team/a.yaml", 2, 27),
        ("wrong-type", "team/a.yaml", 2, 49),
    ]


def test_faults_of_the_meaning_are_told_in_their_file() -> None:
    text = 'roles:\n  a: {capabilities: [], handler: {kind: function, call: "h.py:f"}}\n'
    (finding,) = found(MANIFEST, {"team/a.yaml": text})
    assert (finding.rule, finding.spot.file) == ("missing-file", "team/a.yaml")
    assert finding.message == "handler file 'h.py' does not exist"
    assert finding.hint == (
        "files are named from the included file's folder, and lie below it\n"
        "mend the name, or create the file with the function in it"
    )
    place = finding.spot.place
    assert place is not None
    assert text.splitlines()[1][place.column - 1 : place.end_column - 1] == "h.py"


def test_what_only_a_manifest_has_may_not_stand_in_an_included_file() -> None:
    text = "forge: 1\nwork_items: {}\nrolse: {}\n"
    assert told(MANIFEST, {"team/a.yaml": text}) == [
        ("unknown-key", "team/a.yaml", 1, 1),
        ("unknown-key", "team/a.yaml", 2, 1),
        ("unknown-key", "team/a.yaml", 3, 1),
    ]
    (*_, last) = found(MANIFEST, {"team/a.yaml": text})
    assert last.message == "unknown key 'rolse' in an included file"
    assert last.spot.note == "did you mean 'roles'?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("roles: [a]", "expected mapping, found list for 'roles'"),
        ("schemas: null", "expected mapping, found null for 'schemas'"),
        ("include: b.yaml", "expected list, found text for 'include'"),
    ],
)
def test_a_section_of_the_wrong_type_is_told_and_nothing_follows(text: str, message: str) -> None:
    manifest = "forge: 1\ninclude: [team/a.yaml]\nwork_items: {a: {role: reviewer}}\n"
    (finding,) = found(manifest, {"team/a.yaml": text})
    assert (finding.rule, finding.message) == ("wrong-type", message)


def test_an_empty_file_is_told_as_what_it_is() -> None:
    (finding,) = found(MANIFEST, {"team/a.yaml": "# nothing\n"})
    assert finding.message == "the included file is empty"
    assert finding.hint == "an included file has include, roles, schemas and capabilities"


def test_a_list_is_no_included_file() -> None:
    (finding,) = found(MANIFEST, {"team/a.yaml": "- a\n"})
    assert finding.rule == "wrong-type"
    assert finding.hint == "an included file has include, roles, schemas and capabilities"


def test_the_manifest_s_own_definition_stands_and_is_told() -> None:
    text = (
        f"forge: 1\ninclude: [team/a.yaml]\nroles: {{a: {ROLE}}}\nwork_items: {{x: {{role: a}}}}\n"
    )
    (finding,) = found(text, {"team/a.yaml": f"roles:\n  a: {ROLE}\n"})
    assert finding.message == "role 'a' is defined here and in 'team/a.yaml'"
    (related,) = finding.related
    assert (finding.spot.file, related.file) == ("", "team/a.yaml")
    assert [spot.place and spot.place.line for spot in (finding.spot, related)] == [3, 2]


@pytest.mark.parametrize(
    ("line", "noun"),
    [
        (f"roles: {{a: {ROLE}}}\n", "role 'a'"),
        ("schemas: {a@1: {}}\n", "schema 'a@1'"),
        ("capabilities: {a: []}\n", "capability 'a'"),
    ],
)
def test_of_two_included_files_the_later_one_is_told(line: str, noun: str) -> None:
    text = f"forge: 1\ninclude: [a.yaml, b.yaml]\n{ITEM}"
    (finding,) = found(text, {"a.yaml": line, "b.yaml": line})
    assert finding.message == f"{noun} is defined here and in 'a.yaml'"
    assert [finding.spot.file, *(spot.file for spot in finding.related)] == ["b.yaml", "a.yaml"]


def test_a_file_that_includes_itself_is_told() -> None:
    (finding,) = found(MANIFEST, {"team/a.yaml": "include: [../team/a.yaml]\n"})
    assert (finding.rule, finding.spot.file) == ("include-cycle", "team/a.yaml")
    assert finding.message == "'team/a.yaml' includes itself"


def test_a_circle_is_told_once_with_all_its_files() -> None:
    files = {"team/a.yaml": "include: [b.yaml]\n", "team/b.yaml": "include: [a.yaml, a.yaml]\n"}
    text = f"forge: 1\ninclude: [team/a.yaml, team/b.yaml]\n{ITEM}"
    (finding,) = found(text, files)
    assert finding.spot.file == "team/b.yaml"
    assert finding.message == (
        "files include each other in a circle: team/a.yaml -> team/b.yaml -> team/a.yaml"
    )


def test_a_circle_may_lead_through_the_manifest() -> None:
    files = {"team/a.yaml": "include: [../m.yaml]\n"}
    (finding,) = found(MANIFEST, files)
    assert finding.message == (
        "files include each other in a circle: m.yaml -> team/a.yaml -> m.yaml"
    )


def test_names_that_a_missing_file_may_bring_are_not_told() -> None:
    text = """forge: 1
include: [team/a.yaml]
work_items:
  build: {role: builder, completion: "schema:verdict@1"}
  check: {capabilities: [audit]}
"""
    (finding,) = found(text, {})
    assert finding.message == "the included file 'team/a.yaml' does not exist"
    assert finding.spot.place is not None
    assert finding.spot.place.line == 2


def test_what_is_wrong_beside_a_missing_file_is_told_too() -> None:
    text = """forge: 1
include: [gone.yaml]
work_items: {check: {run: [x], capabilities: [], depends_on: [y]}}
"""
    assert [rule for rule, *_ in told(text, {})] == ["unreadable-include", "unknown-reference"]


def test_an_unsound_include_is_told_by_its_shape() -> None:
    text = f"forge: 1\ninclude: [1]\n{ITEM}"
    assert [rule for rule, *_ in told(text, {})] == ["wrong-type"]
    assert [rule for rule, *_ in told(text.replace("[1]", "a.yaml"), {})] == ["wrong-type"]


def test_a_section_of_the_manifest_that_is_no_mapping_is_told_by_its_shape() -> None:
    text = f"forge: 1\ninclude: [a.yaml]\nroles: [x]\n{ITEM}"
    files = {"a.yaml": f"roles: {{a: {ROLE}}}\n"}
    assert [rule for rule, *_ in told(text, files)] == ["wrong-type"]


def test_more_files_than_are_included_are_told_once() -> None:
    files = {f"{number}.yaml": "roles: {}\n" for number in range(MAX_FILES + 3)}
    text = f"forge: 1\ninclude: [{', '.join(files)}]\n{ITEM}"
    (finding,) = found(text, files)
    assert (finding.rule, finding.spot.path) == ("too-large", ("include", MAX_FILES))


def test_the_limit_on_size_holds_over_all_files_together() -> None:
    files = {f"{number}.yaml": "#" * (MAX_SIZE // 2) + "\nroles: {}\n" for number in range(3)}
    text = f"forge: 1\ninclude: [{', '.join(files)}]\n{ITEM}"
    (finding,) = found(text, files)
    assert finding.message == "the included files are larger than 8,388,608 bytes together"


def test_the_limit_on_faults_holds_over_all_files_together() -> None:
    files = {f"{number}.yaml": "1: 1\n" * 1_200 for number in range(9)}
    text = f"forge: 1\ninclude: [{', '.join(files)}]\n{ITEM}"
    assert len(found(text, files)) < 2_100


def test_a_file_is_found_from_the_file_that_names_it(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    for folder in ("team/shared", "service"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "team/a.yaml").write_text("include: [shared/b.yaml]\n")
    (tmp_path / "team/shared/b.yaml").write_text(f"roles: {{a: {ROLE}}}\n")
    text = "forge: 1\ninclude: [../team/a.yaml]\nwork_items: {x: {role: a}}\n"
    subject = subject_of(parse(text.encode()), "service/m.yaml", None, Files(tmp_path / "service"))
    assert subject.source.complete
    assert [*subject.source.included] == ["../team/a.yaml", "../team/shared/b.yaml"]


def unreadable(folder: Path, name: str) -> str:
    text = f"forge: 1\ninclude: ['{name}']\n{ITEM}"
    (finding,) = check(parse(text.encode()), "m.yaml", None, Files(folder))
    assert finding.rule == "unreadable-include"
    return finding.message


def test_a_file_outside_of_the_workspace_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "roles.yaml").write_text("roles: {}\n")
    (tmp_path / "folder/link.yaml").symlink_to(tmp_path / "roles.yaml")
    for name, problem in {
        "../roles.yaml": "lies outside the workspace",
        "link.yaml": "leads out of the workspace by a link",
        str(tmp_path / "roles.yaml"): "is an absolute path",
        "": "is not a file",
    }.items():
        assert problem in unreadable(tmp_path / "folder", name)


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert "is not a file" in unreadable(tmp_path, "pipe")
    assert "cannot be read: Too many levels of symbolic links" in unreadable(tmp_path, "loop")


def test_a_link_to_a_file_that_is_included_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(f"roles: {{a: {ROLE}}}\n")
    (tmp_path / "b.yaml").symlink_to("a.yaml")
    text = f"forge: 1\ninclude: [a.yaml, b.yaml]\n{ITEM}"
    assert check(parse(text.encode()), "m.yaml", None, Files(tmp_path)) == []
