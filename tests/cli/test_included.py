"""Included files on the command line: what is said of them, and what a run keeps of them."""

import json
import os
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


def test_standard_input_includes_from_the_folder_of_its_name(
    repository: Path, capfd: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.write(writing, MANIFEST.encode())
    os.close(writing)
    kept = os.dup(0)
    os.dup2(reading, 0)
    try:
        assert main(["validate", "-", "--stdin-filename", "a/new.forge.yaml"]) == 0
    finally:
        os.dup2(kept, 0)


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
