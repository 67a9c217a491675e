"""The shelf of formats is complete, and what holds for each of its entries."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from forge_cli.__main__ import main
from forge_cli.app.validate import check_file
from forge_cli.cli import formats
from forge_cli.cli.formats import FORMATS, Checked
from tests.field_reports.pitfalls import ROWS, SOUND

ROOT = Path(__file__).parents[3]
SEEDS = int(os.environ.get("HASH_SEEDS", "2"))
"""Hash seeds to try beside the first; `HASH_SEEDS=50 make test` tries more."""

Written = Callable[[str, Checked], str]
Seen = tuple[str, int, str]
"""File, line and rule of a finding."""

HEADER = re.compile(r"^(\S+):(\d+):\d+: (?:error|warning): .* \[([a-z-]+)\]$", re.MULTILINE)
COMMAND = re.compile(r"::(?:error|warning) file=([^,:]+),line=(\d+),.*?title=([a-z-]+)::")


def lines_of_text(text: str) -> Iterator[Seen]:
    for path, line, rule in HEADER.findall(text):
        yield path, int(line), rule


def entries(found: list[dict[str, Any]]) -> Iterator[Seen]:
    for each in found:
        yield each["path"], each["line"], each["rule"]


def results_of_sarif(text: str) -> Iterator[Seen]:
    for result in json.loads(text)["runs"][0]["results"]:
        where = result["locations"][0]["physicalLocation"]
        line = where["region"]["startLine"]
        yield where["artifactLocation"]["uri"], line, result["ruleId"]


def cases_of_junit(text: str) -> Iterator[Seen]:
    for case in ET.fromstring(text).iter("testcase"):
        if "line" in case.attrib:
            yield case.attrib["file"], int(case.attrib["line"]), case.attrib["name"].split()[0]


def commands_of_github(text: str) -> Iterator[Seen]:
    for command in text.split("\n"):
        path, line, rule = COMMAND.match(command).groups()  # type: ignore[union-attr]
        yield path, int(line), rule


def entries_of_gitlab(text: str) -> Iterator[Seen]:
    for entry in json.loads(text):
        where = entry["location"]
        yield where["path"], where["lines"]["begin"], entry["check_name"]


READERS: dict[str, Callable[[str], Iterator[Seen]]] = {
    "full": lines_of_text,
    "concise": lines_of_text,
    "json": lambda text: entries(json.loads(text)["findings"]),
    "jsonl": lambda text: entries([json.loads(line) for line in text.split("\n")]),
    "sarif": results_of_sarif,
    "junit": cases_of_junit,
    "github": commands_of_github,
    "gitlab": entries_of_gitlab,
}


@pytest.fixture(scope="module")
def pitfalls() -> Checked:
    """What is found in each row of the pitfalls, sound ones among them."""
    texts = [text for text, _ in ROWS.values()] + list(SOUND.values())
    data = [text.encode() if isinstance(text, str) else text for text in texts]
    return Checked(tuple(check_file(f"{n}.yaml", each, 0) for n, each in enumerate(data)))


def test_the_table_has_every_module_of_the_shelf_and_every_one_is_read_back_here() -> None:
    modules = {path.stem for path in Path(formats.__path__[0]).glob("[a-z]*.py")}
    assert modules == set(FORMATS) == set(READERS)


def test_every_format_is_in_the_reference() -> None:
    page = (ROOT / "docs" / "commands.md").read_text("utf-8")
    assert [name for name in FORMATS if f"\n| `{name}` | " not in page] == []


@pytest.mark.parametrize("form", FORMATS)
def test_every_pitfall_is_read_back(form: str, pitfalls: Checked, written: Written) -> None:
    seen = sorted(READERS[form](written(form, pitfalls)))
    expected = [
        (report.path, finding.spot.place.line, finding.rule)
        for report in pitfalls.reports
        for finding in report.findings
        if finding.spot.place
    ]
    assert seen == sorted(expected)
    assert len(seen) >= len(ROWS)


ODD = b"\x1b[31m\n::error::\xff \xe2\x80\xae,<&\"'\xc3\xa9.forge.yaml"
"""The name of a file: an escape, a line end, no UTF-8, a direction override, signs of formats."""


@pytest.fixture
def odd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a faulty manifest of that name, and none that says so of itself."""
    monkeypatch.chdir(tmp_path)
    Path(os.fsdecode(ODD)).write_bytes(b"forge: 1\n\xff: 1\n'a\\nb': \x07\n")
    return tmp_path


@pytest.mark.parametrize("form", FORMATS)
def test_26_a_name_of_any_bytes_is_harmless(
    form: str, odd: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["validate", "--format", form, ".", "mis\x1bsing"]) == 2
    said = capsys.readouterr()
    assert all(line.isprintable() for line in (said.out + said.err).split("\n"))
    assert said.out.count("\n::error::") == 0
    if form not in ("full", "concise", "github"):
        rules = sorted(rule for _, _, rule in READERS[form](said.out.rstrip("\n")))
        assert rules == ["foreign-encoding", "unknown-key", "unsafe-text"]


CODES = {"sound": 0, "faulty": 1, "missing": 2, "nothing": 5}


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(("path", "code"), CODES.items())
def test_the_exit_code_is_the_same(
    form: str, path: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sound").write_text(str(SOUND["6 an offset"]))
    (tmp_path / "faulty").write_text("zzz: 1\n")
    (tmp_path / "nothing").mkdir()
    assert main(["validate", "--format", form, path]) == code


@pytest.mark.parametrize("form", FORMATS)
def test_25_what_is_no_readable_file_leaves_the_output_whole(
    form: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("faulty").write_text("zzz: 1\n")
    Path("loop").symlink_to("loop")
    Path("dangling").symlink_to("nowhere")
    os.mkfifo("pipe")
    odd = ["loop", "dangling", "pipe", "/dev/zero", "/proc/self/mem", "faulty/x"]
    assert main(["validate", "--format", form, *odd, "faulty"]) == 2
    said = capsys.readouterr()
    assert said.err.count("forge: error: ") == len(odd)
    printed = [line for line in said.out.rstrip("\n").split("\n") if "title=forge" not in line]
    assert sorted(READERS[form]("\n".join(printed))) == [
        ("faulty", 1, "missing-key"),
        ("faulty", 1, "missing-key"),
        ("faulty", 1, "unknown-key"),
    ]


def reports(folder: Path, seed: int, names: list[str]) -> dict[str, bytes]:
    """The bytes of every format from a process of its own."""
    wishes = [f"--report={form}={folder / form}" for form in FORMATS]
    ended = subprocess.run(
        [sys.executable, "-m", "forge_cli", "validate", *wishes, *names],
        cwd=ROOT / "manifests",
        env={"PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
        capture_output=True,
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (1, b"")
    written = {form: (folder / form).read_bytes() for form in FORMATS}
    return {**written, "printed": ended.stdout}


def test_every_hash_seed_and_order_of_arguments_gives_the_same_bytes(tmp_path: Path) -> None:
    names = ["b", "a", "c"]
    for name, row in zip(names, ("10 a mapping in itself", "23 rols", "23 zzz"), strict=True):
        (tmp_path / name).write_text(str(ROWS[row][0]))
    paths = [str(tmp_path / name) for name in names]
    first = reports(tmp_path, 0, paths)
    for seed in range(1, SEEDS + 1):
        paths = [*paths[1:], paths[0]]
        assert reports(tmp_path, seed, paths) == first
