"""What `forge validate` adds in GitHub Actions."""

from pathlib import Path

import pytest

from forge_cli.__main__ import main
from forge_cli.cli.annotated import MOST_ANNOTATIONS

FAULTY = "forge: 1\nzzz: 1\nwork_items:\n  hello: {run: [echo, hello], capabilities: []}\n"
SOUND = FAULTY.replace("zzz: 1\n", "")


@pytest.fixture(autouse=True)
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A step in a checkout, and the file of the job's summary."""
    (tmp_path / "checkout" / "in").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "checkout" / "in")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "checkout"))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    return tmp_path / "summary.md"


def lines_of(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    main(["validate", *words])
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("form", ["full", "concise"])
def test_text_is_followed_by_annotations(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(FAULTY)
    begin, header, *_, end, annotation = lines_of(capsys, "a.yaml", "--format", form)
    assert header == "a.yaml:2:1: error: unknown key 'zzz' in the manifest [unknown-key]"
    assert annotation.startswith("::error file=in/a.yaml,line=2,")
    token = begin.removeprefix("::stop-commands::")
    assert (len(token), end) == (64, f"::{token}::")


def test_text_without_foreign_words_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.yaml").write_text(SOUND)
    assert lines_of(capsys, "a.yaml") == ["No findings in 1 file."]


def test_other_formats_are_as_ever(capsys: pytest.CaptureFixture[str], summary: Path) -> None:
    Path("a.yaml").write_text(FAULTY)
    assert lines_of(capsys, "a.yaml", "--format", "json")[0] == "{"
    assert not summary.exists()


def test_no_more_annotations_than_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    many = "".join(f"zzz{n}: 1\n" for n in range(MOST_ANNOTATIONS + 5))
    Path("a.yaml").write_text(FAULTY + many)
    lines = lines_of(capsys, "a.yaml")
    assert sum(line.startswith("::error ") for line in lines) == MOST_ANNOTATIONS
    assert sum("[unknown-key]" in line for line in lines) == MOST_ANNOTATIONS + 6


@pytest.mark.parametrize("form", ["full", "concise", "github"])
def test_the_summary_has_a_table(
    form: str, capsys: pytest.CaptureFixture[str], summary: Path
) -> None:
    Path("a.yaml").write_text(FAULTY)
    lines_of(capsys, "a.yaml", "missing.yaml", "--format", form)
    text = summary.read_text()
    assert text.startswith("### forge validate\n\n1 error in 1 file.\n\nerror: 'missing.yaml' does")
    assert "| severity | place | rule | message |\n|---|---|---|---|\n" in text
    assert text.rstrip().endswith("| unknown-key | unknown key 'zzz' in the manifest |")


def test_the_summary_tells_of_errors_that_are_not_shown(
    capsys: pytest.CaptureFixture[str], summary: Path
) -> None:
    Path("a.yaml").write_text(FAULTY)
    lines_of(capsys, "a.yaml", "--select", "unused-role", "--quiet")
    assert summary.read_text() == (
        "### forge validate\n\nNo findings of the selected rules in 1 file.\n\n"
        "error: an error of other rules than the selected ones&#58; see it without --select\n\n"
    )


def test_nothing_in_the_table_is_markup(capsys: pytest.CaptureFixture[str], summary: Path) -> None:
    Path("a.yaml").write_text(FAULTY + "'|<b>@me #1 [x](y) `z` \\\\': 1\n")
    lines_of(capsys, "a.yaml")
    *_, row = summary.read_text().rstrip().split("\n")
    assert row.count("|") == 5
    assert not set("<>@#[]()`\\") & set(row.replace("&#", "&"))


def test_a_long_table_says_how_many_are_left_out(
    capsys: pytest.CaptureFixture[str], summary: Path
) -> None:
    for number in range(3):
        many = "".join(f"zzz{n}: 1\n" for n in range(90))
        Path(f"{number}.yaml").write_text(FAULTY + many)
    lines_of(capsys, "0.yaml", "1.yaml", "2.yaml")
    assert summary.read_text().endswith("\n73 more are in the log.\n\n")


def test_quiet_has_no_summary_of_nothing(capsys: pytest.CaptureFixture[str], summary: Path) -> None:
    Path("a.yaml").write_text(SOUND)
    lines_of(capsys, "a.yaml", "-q")
    assert not summary.exists()
    lines_of(capsys, "a.yaml")
    assert summary.read_text() == "### forge validate\n\nNo findings in 1 file.\n\n"
