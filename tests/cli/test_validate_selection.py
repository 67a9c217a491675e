"""`forge validate` told which rules and which files: by options, and by the project."""

from pathlib import Path

import pytest

from forge_cli.__main__ import main

ROLE = "roles: {r: {capabilities: [], handler: {kind: command, argv: [x]}}}\n"
WARNED = f"forge: 1\nwork_items: {{a: {{run: [x], capabilities: []}}}}\n{ROLE}"
FAULTY = f"zzz: 1\n{WARNED}"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("warned.forge.yaml").write_text(WARNED)
    return tmp_path


def rules(capsys: pytest.CaptureFixture[str], *words: str, code: int) -> tuple[list[str], str]:
    """The rules that are told of, and standard error."""
    assert main(["validate", "--format", "concise", *words]) == code
    said = capsys.readouterr()
    return [line.rpartition("[")[2].rstrip("]") for line in said.out.splitlines()], said.err


Said = pytest.CaptureFixture[str]


def test_only_selected_rules_are_told_of(capsys: Said) -> None:
    Path("b.forge.yaml").write_text(FAULTY)
    assert rules(capsys, "--select", "unknown-key", code=1) == (["unknown-key"], "")


def test_an_error_that_is_not_selected_still_fails(capsys: Said) -> None:
    Path("b.forge.yaml").write_text(FAULTY)
    told, complaint = rules(capsys, "--select=deadline-past,unused-role", code=1)
    assert told == ["unused-role", "unused-role"]
    assert complaint == (
        "forge: error: an error of other rules than the selected ones: see it without --select\n"
    )


def test_only_of_the_selected_rules_it_is_said_that_nothing_was_found(capsys: Said) -> None:
    Path("b.forge.yaml").write_text(FAULTY)
    assert main(["validate", "--select", "deadline-past"]) == 1
    assert capsys.readouterr().out == "No findings of the selected rules in 2 files.\n"


def test_an_error_in_a_shared_file_that_is_not_shown_is_counted_once(
    capsys: Said, folder: Path
) -> None:
    Path(".git").mkdir()
    Path("shared.yaml").write_text(ROLE.replace("capabilities", "capabilites"))
    for name in ("b", "c"):
        Path(f"{name}.forge.yaml").write_text(
            "forge: 1\ninclude: [shared.yaml]\nwork_items: {a: {run: [x], capabilities: []}}\n"
        )
    _, complaint = rules(capsys, "--select", "deadline-past", code=1)
    assert complaint.startswith("forge: error: an error of other rules")


def test_ignored_warnings_are_not_told_and_do_not_fail(capsys: Said) -> None:
    assert rules(capsys, "--strict", code=1)[0] == ["unused-role"]
    words = ("--strict", "--ignore", "deadline-past", "--ignore", "unused-role")
    assert rules(capsys, *words, code=0) == ([], "")


def test_a_comment_may_ignore_what_an_option_ignores_too(capsys: Said) -> None:
    Path("warned.forge.yaml").write_text(WARNED.rstrip() + "  # forge: ignore[unused-role] known\n")
    assert rules(capsys, "--strict", "--ignore", "unused-role", code=0)[0] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--select", "unusd-role"], "there is no rule 'unusd-role'; did you mean 'unused-role'?"),
        (["--ignore", "zzz"], "there is no rule 'zzz'"),
        (["--ignore", "unknown-key"], "'unknown-key' is an error; only warnings can be ignored"),
    ],
)
def test_2_for_a_rule_that_will_not_do(words: list[str], sentence: str, capsys: Said) -> None:
    assert main(["validate", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_files_are_listed_one_on_each_line(capsys: Said) -> None:
    Path("b\x1b\n.forge.yaml").write_text(FAULTY)
    assert main(["validate", "--list-files"]) == 0
    assert capsys.readouterr().out == "b\\x1b\\n.forge.yaml\nwarned.forge.yaml\n"


def test_what_cannot_be_checked_is_not_listed(capsys: Said) -> None:
    assert main(["validate", "--list-files", "missing.yaml", "warned.forge.yaml"]) == 2
    said = capsys.readouterr()
    assert said.out == "warned.forge.yaml\n"
    assert said.err.startswith("forge: error: 'missing.yaml' does not exist")


def test_5_where_there_is_nothing_to_list(capsys: Said) -> None:
    Path("empty").mkdir()
    assert main(["validate", "--list-files", "empty"]) == 5
    assert main(["validate", "--list-files", "empty", "--allow-empty"]) == 0
    assert capsys.readouterr().out == ""


def project(text: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.forge]\n{text}\n")


def test_the_project_names_its_manifests(capsys: Said) -> None:
    project('manifests = ["flows"]')
    Path("flows").mkdir()
    Path("flows/b.forge.yaml").write_text(WARNED)
    main(["validate", "--list-files"])
    main(["validate", "--list-files", "warned.forge.yaml"])
    assert capsys.readouterr().out == "flows/b.forge.yaml\nwarned.forge.yaml\n"


def test_the_project_can_be_strict(capsys: Said) -> None:
    project("strict = true")
    assert rules(capsys, code=1)[0] == ["unused-role"]


def test_the_project_selects_and_ignores_until_the_command_line_does(capsys: Said) -> None:
    project('select = ["deadline-past"]\nignore = ["deadline-past"]')
    assert rules(capsys, code=0)[0] == []
    assert rules(capsys, "--select", "unused-role", code=0)[0] == ["unused-role"]
    project('ignore = ["unused-role"]')
    assert rules(capsys, code=0)[0] == []
    assert rules(capsys, "--ignore", "deadline-past", code=0)[0] == ["unused-role"]


def test_a_project_holds_in_the_folders_below_it(
    capsys: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project('manifests = ["flows"]\nstrict = true')
    Path("below").mkdir()
    Path("below/b.forge.yaml").write_text(WARNED)
    monkeypatch.chdir(tmp_path / "below")
    assert rules(capsys, code=1)[0] == ["unused-role"]


def test_2_for_a_project_that_will_not_do(capsys: Said) -> None:
    project("strct = true")
    assert main(["validate", "warned.forge.yaml"]) == 2
    assert capsys.readouterr().err == (
        "forge: error: pyproject.toml:2: [tool.forge] has no key 'strct'; did you mean 'strict'?\n"
    )
