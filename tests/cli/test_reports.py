"""`forge validate --report`: findings in files, beside what is printed."""

import json
from pathlib import Path

import pytest

from forge_cli.__main__ import main
from forge_cli.app.validate import Report
from forge_cli.cli.formats import FORMATS, Checked
from forge_cli.cli.reports import save

FAULTY = "forge: 1\nzzz: 1\nwork_items:\n  hello: {run: [echo, hello], capabilities: []}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.forge.yaml").write_text(FAULTY)
    return tmp_path


@pytest.mark.parametrize("form", FORMATS)
def test_a_report_says_what_would_be_printed(
    form: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "--format", form, "--report", f"{form}=out"]) == 1
    assert (folder / "out").read_text() == capsys.readouterr().out


def test_several_reports_and_the_findings_as_ever(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--report", "json=a.json", "--report=concise=b.txt")
    assert main(["validate", *words, "--format", "jsonl"]) == 1
    assert json.loads(capsys.readouterr().out)["rule"] == "unknown-key"
    assert len(json.loads((folder / "a.json").read_text())["findings"]) == 1
    assert (folder / "b.txt").read_text().startswith("a.forge.yaml:2:1: error: ")


def test_a_report_replaces_the_one_before(folder: Path) -> None:
    (folder / "out").write_text("x" * 9000)
    assert main(["validate", "--report", "json=out"]) == 1
    assert json.loads((folder / "out").read_text())["format_version"] == 1
    assert {path.name for path in folder.iterdir()} == {"a.forge.yaml", "out"}


LONG = "n" * 300
REFUSED = {
    f"json={LONG}": f"'{LONG}' cannot be written: File name too long",
    "json=no/out": "the report 'no/out' cannot be written: there is no folder 'no'",
    "json=.": "the report '.' cannot be written: that is no file",
    "json=/dev/null": "the report '/dev/null' cannot be written: that is no file",
    "xml=out": "'xml=out' is not a format and a file",
    "json": "'json' is not a format and a file",
    "json=": "'json=' is not a format and a file",
}


@pytest.mark.parametrize(("wish", "sentence"), REFUSED.items())
def test_a_report_that_cannot_go_there_is_refused_before_anything_is_checked(
    wish: str, sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "--report", wish]) == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.out == ""


@pytest.mark.parametrize("name", ["a.forge.yaml", "./link"])
def test_a_report_replaces_no_manifest_that_was_checked(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "link").symlink_to("a.forge.yaml")
    assert main(["validate", "--report", f"json={name}"]) == 2
    said = capsys.readouterr()
    assert "unknown-key" in said.out
    assert f"the report '{name}' would replace a file that was checked" in said.err
    assert (folder / "a.forge.yaml").read_text() == FAULTY


def test_a_report_replaces_no_file_that_a_manifest_includes(folder: Path) -> None:
    (folder / "roles.yaml").write_text("roles: {}\n")
    checked = Checked((Report("roles.yaml", (), b"roles: {}\n"),))
    assert list(save([("json", "roles.yaml")], checked, ["a.forge.yaml"])) == [
        "the report 'roles.yaml' would replace a file that was checked; name another file"
    ]
    assert (folder / "roles.yaml").read_text() == "roles: {}\n"


def test_two_reports_do_not_share_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["validate", "--report", "json=out", "--report", "concise=./out"]) == 2
    assert "'./out' would replace another report" in capsys.readouterr().err


def test_a_report_that_fails_in_the_end_is_told_after_the_findings(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["validate", "--report", "json=/proc/findings.json"]) == 2
    said = capsys.readouterr()
    assert "unknown-key" in said.out
    assert "'/proc/findings.json' cannot be written: " in said.err


def test_a_report_keeps_a_link_that_leads_to_it(folder: Path) -> None:
    (folder / "link").symlink_to("out")
    assert main(["validate", "--report", "json=link"]) == 1
    assert (folder / "link").is_symlink()
    assert (folder / "out").is_file()
