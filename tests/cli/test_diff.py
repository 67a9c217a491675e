"""`forge diff`: what it prints, in each format, and how it exits."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from jsonschema import Draft7Validator

from forge_cli import __version__
from forge_cli.__main__ import main

DATA = Path(__file__).parent / "data" / "diff"

OLD = (DATA / "old.forge.yaml").read_text()
NEW = (DATA / "new.forge.yaml").read_text()

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Said:
    """Runs `forge diff` in a folder with `old.forge.yaml` and `new.forge.yaml`."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "old.forge.yaml").write_text(OLD)
    (tmp_path / "new.forge.yaml").write_text(NEW)

    def run(*words: str) -> tuple[int, str, str]:
        code = main(["diff", *words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.mark.parametrize("form", ["text", "json", "sarif", "markdown"])
def test_the_output_is_the_golden_one(form: str, said: Said) -> None:
    code, out, _ = said("old.forge.yaml", "new.forge.yaml", "--format", form)
    lasting = out.replace(f'"version": "{__version__}"', '"version": "VERSION"')
    assert lasting == (DATA / f"{form}.txt").read_text()
    assert code == 1


def test_sarif_is_what_its_schema_demands(said: Said) -> None:
    _, out, _ = said("old.forge.yaml", "new.forge.yaml", "--format", "sarif")
    schema = json.loads((DATA.parents[1] / "formats/data/sarif-schema-2.1.0.json").read_text())
    assert list(Draft7Validator(schema).iter_errors(json.loads(out))) == []
    levels = [result["level"] for result in json.loads(out)["runs"][0]["results"]]
    assert sorted(levels) == ["error"] * 7 + ["note"] * 2 + ["warning"]


def test_no_line_of_the_text_is_wider_than_a_hundred_columns(said: Said) -> None:
    _, out, _ = said("old.forge.yaml", "new.forge.yaml", "-v")
    assert max(map(len, out.splitlines())) <= 100


def test_two_that_mean_the_same_exit_0(said: Said) -> None:
    code, out, _ = said("old.forge.yaml", "old.forge.yaml")
    assert code == 0
    assert "both mean the same" in out


def test_versions_that_have_risen_exit_0(said: Said, tmp_path: Path) -> None:
    risen = NEW.replace("version: 1.1.0", "version: 2.0.0").replace("version: 4", "version: 5")
    (tmp_path / "new.forge.yaml").write_text(risen.replace("verdict@1", "verdict@2"))
    code, out, _ = said("old.forge.yaml", "new.forge.yaml", "-q")
    assert code == 0
    assert out.split("  ")[0] == "SHOWN"


def test_a_manifest_that_is_not_valid_is_not_compared(said: Said, tmp_path: Path) -> None:
    (tmp_path / "new.forge.yaml").write_text(NEW.replace("depends_on", "needs"))
    code, out, err = said("old.forge.yaml", "new.forge.yaml", "--format", "json")
    assert code == 2
    assert out == ""
    assert "new.forge.yaml:18:28: error: unknown key 'needs'" in err
    assert "'new.forge.yaml' is not valid, so nothing was compared" in err


@pytest.mark.parametrize(
    "words", [[], ["old.forge.yaml"], ["a", "b", "c"], ["--against", "x", "a", "b"]]
)
def test_any_other_number_of_manifests_is_a_usage_error(words: list[str], said: Said) -> None:
    code, _, err = said(*words)
    assert code == 2
    assert "Error" in err


def test_a_name_that_is_hostile_reaches_neither_terminal_nor_markdown(
    said: Said, tmp_path: Path
) -> None:
    old, new = tmp_path / "\x1b[31m`@team`|.yaml", tmp_path / "new.forge.yaml"
    old.write_text(OLD)
    for form in ("text", "json", "sarif", "markdown"):
        _, out, _ = said(str(old), str(new), "--format", form)
        assert "\x1b" not in out
    assert "`` " in out


def test_against_a_commit_the_file_there_is_the_old_one(
    said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org"]
    (tmp_path / "new.forge.yaml").unlink()
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"], ["tag", "v1"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    (tmp_path / "old.forge.yaml").write_text(OLD.replace("5m", "6m"))
    code, out, _ = said("--against", "v1", "--format", "json")
    assert code == 1
    told = json.loads(out)
    assert (told["old"], told["new"]) == ("v1:old.forge.yaml", "old.forge.yaml")
    assert [change["kind"] for change in told["changes"]] == ["timeout-widened"]


def test_a_file_that_was_not_there_is_told(
    said: Said, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org"]
    for words in (["init", "-q"], ["commit", "-qm", "first", "--allow-empty"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    code, _, err = said("--against", "HEAD", "new.forge.yaml")
    assert code == 2
    assert "'HEAD:new.forge.yaml' does not exist; there is nothing to compare" in err


@pytest.mark.parametrize("name", ["new.forge.yaml", "broken.forge.yaml"])
def test_in_github_actions_nothing_of_a_manifest_is_taken_for_a_command(
    name: str, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    Path("broken.forge.yaml").write_text("forge: 1  # ##[add-mask]x\n")
    _, out, err = said("old.forge.yaml", name)
    begin, *_, end = (out or err.rpartition("forge: error:")[0]).splitlines()
    token = begin.removeprefix("::stop-commands::")
    assert (len(token), end) == (64, f"::{token}::")
