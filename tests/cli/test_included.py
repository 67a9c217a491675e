"""Included files on the command line: what is said of them, and what a run keeps of them."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from forge_cli.__main__ import main

Out = pytest.CaptureFixture[str]
MANIFEST = """forge: 1
include: [../team/roles.yaml]
work_items: {build: {role: builder}}
"""
ROLES = """roles:
  builder:
    capabilities: []
    handler: {kind: command, argv: [echo, built], result: text}
  idle:
    capabilities: []
    handler: {kind: command, argv: [no-such-program-anywhere]}
"""
FAULTY = "roles:\n  builder:\n    capabilites: []\n    handler: {kind: command, argv: [make]}\n"


@contextmanager
def standard_input(text: str) -> Iterator[None]:
    """The text as what is read from standard input."""
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    kept = os.dup(0)
    os.dup2(reading, 0)
    try:
        yield
    finally:
        os.dup2(kept, 0)
        os.close(kept)
        os.close(reading)


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with three services and what they share."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.forge.yaml").write_text(MANIFEST)
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "roles.yaml").write_text(ROLES)
    return tmp_path


def test_a_fault_of_a_shared_file_is_told_once(repository: Path, capfd: Out) -> None:
    (repository / "team/roles.yaml").write_text(FAULTY)
    assert main(["validate", "--format", "concise"]) == 1
    assert capfd.readouterr().out == (
        "team/roles.yaml:3:5: error: unknown key 'capabilites' in role 'builder' [unknown-key]\n"
    )
    assert main(["validate"]) == 1
    assert "1 error in 1 of 4 files." in capfd.readouterr().out


def test_a_fault_of_a_shared_file_is_the_same_from_folders_of_any_depth(
    repository: Path, capfd: Out
) -> None:
    (repository / "a/deep").mkdir()
    (repository / "a/deep/d.forge.yaml").write_text(MANIFEST.replace("../team", "../../team"))
    (repository / "team/roles.yaml").write_text(
        'roles:\n  builder: {capabilities: [], handler: {kind: function, call: "h.py:f"}}\n'
        "schemas: {a@1: {$ref: gone.json}}\n"
    )
    assert main(["validate", "--format", "concise"]) == 1
    assert len(capfd.readouterr().out.splitlines()) == 2


def test_json_has_the_included_file_as_the_path(repository: Path, capfd: Out) -> None:
    (repository / "team/roles.yaml").write_text(FAULTY)
    main(["validate", "--format", "json", "a"])
    (finding,) = json.loads(capfd.readouterr().out)["findings"]
    assert (finding["path"], finding["line"]) == ("team/roles.yaml", 3)


def test_standard_input_includes_from_the_folder_of_its_name(capfd: Out) -> None:
    with standard_input(MANIFEST):
        assert main(["validate", "-", "--stdin-filename", "a/new.forge.yaml"]) == 0


def test_a_manifest_with_faults_in_an_included_file_does_not_run(
    repository: Path, capfd: Out
) -> None:
    (repository / "team/roles.yaml").write_text(FAULTY)
    assert main(["run", "a/a.forge.yaml"]) == 2
    assert "team/roles.yaml:3:5: error: unknown key 'capabilites'" in capfd.readouterr().err


def test_what_a_role_needs_that_is_not_used_need_not_be_there(capfd: Out) -> None:
    assert main(["run", "a/a.forge.yaml", "--quiet"]) == 0


def test_evidence_names_the_included_files_and_a_changed_digest_is_found(
    repository: Path, capfd: Out
) -> None:
    assert main(["run", "a/a.forge.yaml", "--evidence", "made", "--quiet"]) == 0
    plan = repository / "made" / "plan.json"
    text = plan.read_text()
    digest = json.loads(text)["included"]["../team/roles.yaml"]
    plan.write_text(text.replace(digest, "sha256:" + "0" * 64))
    assert main(["verify", "made"]) == 1
    assert "plan.json" in capfd.readouterr().out


def test_a_shared_file_may_be_checked_by_itself(repository: Path, capfd: Out) -> None:
    assert main(["validate", "team/roles.yaml", "--strict"]) == 0
    assert capfd.readouterr().out == "No findings in 1 file.\n"
    (repository / "team/roles.yaml").write_text("include: [roles.yaml]\n" + FAULTY)
    assert main(["validate", "./team/roles.yaml", "--format", "concise"]) == 1
    assert capfd.readouterr().out == (
        "team/roles.yaml:1:11: error: 'team/roles.yaml' includes itself [include-cycle]\n"
        "team/roles.yaml:4:5: error: unknown key 'capabilites' in role 'builder' [unknown-key]\n"
    )


def test_a_shared_file_that_is_named_beside_its_manifests_is_one_file(
    repository: Path, capfd: Out
) -> None:
    (repository / "team/roles.yaml").write_text(FAULTY)
    assert main(["validate", ".", "team/roles.yaml"]) == 1
    assert "1 error in 1 of 4 files." in capfd.readouterr().out


def test_a_shared_file_from_standard_input_is_the_one_that_is_given(
    repository: Path, capfd: Out
) -> None:
    with standard_input(FAULTY):
        main(["validate", "-", "--stdin-filename", "team/roles.yaml", "--format", "concise"])
    assert capfd.readouterr().out.startswith("team/roles.yaml:3:5: error: unknown key")


REVIEWED = """forge: 1
include: [../team/roles.yaml]
work_items:
  patch: {run: [make], capabilities: []}
  one: {role: one, review: {of: [patch], quorum: 1}}
  two: {role: two, review: {of: [patch], quorum: 1}}
"""
RELATED = "roles:\n" + "".join(
    f"  {name}:\n    model_family: m\n    capabilities: []\n    outputs: [verdict]\n"
    f"    handler: {{kind: command, argv: [make]}}\n"
    for name in ("one", "two")
)
IGNORED = RELATED.replace(": m\n", ": m  # forge: ignore[correlated-reviewers] known\n")


def test_a_comment_in_a_shared_file_ignores_what_is_warned_of_there(
    repository: Path, capfd: Out
) -> None:
    (repository / "a/a.forge.yaml").write_text(REVIEWED)
    (repository / "team/roles.yaml").write_text(RELATED)
    assert main(["validate", "a", "--strict", "--format", "concise"]) == 1
    assert capfd.readouterr().out.startswith("team/roles.yaml:8:19: warning: roles 'one' and 'two'")
    (repository / "team/roles.yaml").write_text(IGNORED)
    assert main(["validate", "a", "--strict"]) == 0


def test_that_one_manifest_has_no_need_of_a_comment_in_a_shared_file_is_no_warning(
    repository: Path,
) -> None:
    (repository / "a/a.forge.yaml").write_text(REVIEWED.replace("role: two", "role: one"))
    (repository / "team/roles.yaml").write_text(IGNORED)
    assert main(["validate", "a", "--strict"]) == 0


def test_a_comment_in_a_shared_file_that_can_ignore_nothing_is_told_there(
    repository: Path, capfd: Out
) -> None:
    (repository / "team/roles.yaml").write_text(f"# forge: ignore[unusd-role] why\n{ROLES}")
    for words in ((), ("team/roles.yaml",)):
        assert main(["validate", "--strict", "--format", "concise", *words]) == 1
        assert capfd.readouterr().out == (
            "team/roles.yaml:1:17: warning: there is no rule 'unusd-role' [bad-ignore]\n"
        )


def test_included_files_are_named_where_files_are_listed_and_counted(
    repository: Path, capfd: Out
) -> None:
    assert main(["validate", "--list-files"]) == 0
    listed = capfd.readouterr().out.split()
    assert sorted(listed) == [*(f"{n}/{n}.forge.yaml" for n in "abc"), "team/roles.yaml"]
    assert main(["validate", "-v", "a"]) == 0
    printed = capfd.readouterr()
    assert printed.err == "checked a/a.forge.yaml, with team/roles.yaml: 0 findings\n"
    assert printed.out == "No findings in 2 files.\n"


@pytest.mark.parametrize(
    "words", [["diff", "team/roles.yaml", "team/roles.yaml"], ["plan", "team/roles.yaml"]]
)
def test_a_file_that_is_only_included_is_named_as_that(words: list[str], capfd: Out) -> None:
    assert main(words) == 2
    assert capfd.readouterr().err == (
        "forge: error: 'team/roles.yaml' has only what manifests share (roles, schemas, "
        "capabilities) and is none itself; name a manifest that includes it\n"
    )
