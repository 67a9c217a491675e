"""The program itself: what it imports, and how it ends when something breaks."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from forge_cli import __version__
from forge_cli.cli.main import COMMANDS

ROOT = Path(__file__).parents[2]
LIBRARIES = {"typer", "click", "rich", "pydantic", "pydantic_core", "jsonschema"}
HEAVY = LIBRARIES | {"jmespath", "asyncio", "sqlite3", "subprocess"}
VALID = "forge: 1\nwork_items:\n  hello:\n    run: [echo, hello]\n    capabilities: []\n"
TEAM = """\
forge: 1
inputs: {change: {default: tighten}}
roles:
  writer: {capabilities: [write], outputs: [diff], handler: {kind: command, argv: [make]}}
work_items:
  patch: {role: writer, goal: "${inputs.change}", outputs: [diff]}
  review: {run: [cat, "${items.patch.outputs.diff}"], capabilities: [read], after: [patch]}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return tmp_path


def python(program: str, **environ: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env={**os.environ, **environ},
        check=False,
    )


def imported(*words: str) -> set[str]:
    """The top-level modules and those of forge that a command line needs."""
    program = (
        "import sys; from forge_cli.__main__ import main; "
        f"status = main({list(words)!r}); print(*sys.modules, file=sys.stderr); sys.exit(status)"
    )
    ended = python(program)
    assert ended.returncode == 0, ended.stderr
    return {name for name in ended.stderr.split() if "." not in name or name.startswith("forge_")}


def test_the_version_needs_next_to_nothing() -> None:
    modules = imported("--version")
    assert not modules & {*HEAVY, "yaml", "dataclasses", "re"}
    assert {name for name in modules if name.startswith("forge_")} == {
        "forge_cli",
        "forge_cli.__main__",
        "forge_cli.errors",
    }


def test_the_program_that_is_installed_imports_no_more() -> None:
    source = (ROOT / "forge_cli" / "forge").read_text()
    program = (
        "import sys; sys.argv = ['forge', '--version']\n"
        "sys.exit = lambda status: print(status, *sys.modules)\n" + source
    )
    version, _, ended = python(program).stdout.partition("\n")
    status, *modules = ended.split()
    assert (version, status) == (f"forge {__version__}", "0")
    assert "re" not in modules


def test_validating_a_small_file_needs_nothing_heavy(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(VALID)
    modules = imported("validate", "a.yaml")
    assert not modules & {*HEAVY, "dataclasses", "inspect", "pathlib", "tempfile", "traceback"}


def test_validating_a_file_with_roles_and_references_makes_no_more_classes(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(TEAM)
    assert not imported("validate", "a.yaml") & {*HEAVY, "dataclasses"}


def test_validating_a_small_file_never_looks_for_garbage(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(VALID)
    program = (
        "import gc; from forge_cli.__main__ import main\n"
        "def count(): return sum(each['collections'] for each in gc.get_stats())\n"
        "before = count(); main(['validate', '-q', 'a.yaml']); print(count() - before)\n"
    )
    assert python(program).stdout == "0\n"


def test_validating_compiles_the_regular_expressions_that_a_file_needs(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(VALID)
    program = (
        "import re, sys; from forge_cli.__main__ import main; main(['validate', 'a.yaml'])\n"
        "print(*(f'{name}.{key}' for name, module in sys.modules.items()\n"
        "    for key, value in vars(module).items() if isinstance(value, re.Pattern)))\n"
    )
    compiled = {each for each in python(program).stdout.split() if each.startswith("forge_cli")}
    assert compiled == {
        "forge_cli.manifest.reading.scalars._NUMBER",
        "forge_cli.multiagent.templates._OPENING",
    }


def test_the_version_is_printed() -> None:
    ended = python("from forge_cli.__main__ import main; main(['--version'])")
    assert ended.stdout == f"forge {__version__}\n"


def test_the_version_is_an_option_of_the_application_too() -> None:
    ended = python("from forge_cli.cli.main import run_command; run_command(['--version'])")
    assert ended.stdout == f"forge {__version__}\n"


def test_help_shows_the_commands_with_examples() -> None:
    ended = python("from forge_cli.__main__ import main; main(['--help'])")
    assert "forge validate manifests/" in ended.stdout
    assert "validate  " in ended.stdout


def forge(*words: str, stdout: int, buffered: bool) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "forge_cli", *words]
    environ = {**os.environ, "PYTHONUNBUFFERED": "" if buffered else "1"}
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=environ, check=False)


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("words", [["validate"], ["--help"], ["--version"]])
def test_141_quietly_when_nobody_reads(words: list[str], buffered: bool, tmp_path: Path) -> None:
    (tmp_path / "a.forge.yaml").write_text("a: 1\n" * 900)
    reading, writing = os.pipe()
    os.close(reading)
    ended = forge(*words, stdout=writing, buffered=buffered)
    os.close(writing)
    assert (ended.returncode, ended.stderr) == (141, b"")


@pytest.mark.parametrize("buffered", [True, False])
@pytest.mark.parametrize("words", [["validate"], ["--help"], ["--version"]])
def test_2_when_the_output_cannot_be_written(
    words: list[str], buffered: bool, tmp_path: Path
) -> None:
    (tmp_path / "a.forge.yaml").write_text(VALID)
    with Path("/dev/full").open("w") as full:
        ended = forge(*words, stdout=full.fileno(), buffered=buffered)
    assert ended.returncode == 2
    assert ended.stderr == b"forge: error: the output cannot be written: No space left on device\n"


def test_130_when_interrupted(tmp_path: Path) -> None:
    (tmp_path / "+.yaml").write_text(VALID)
    started = subprocess.Popen(
        [sys.executable, "-m", "forge_cli", "validate", "-v", "+.yaml", "-"],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert started.stderr is not None
    assert started.stderr.readline() == b"checked +.yaml: 0 findings\n"
    started.send_signal(signal.SIGINT)
    _, complaint = started.communicate()
    assert (started.returncode, complaint) == (130, b"")


BROKEN = (
    "import forge_cli.cli.validate as command; from forge_cli.__main__ import main\n"
    "def run_at_once(words): raise ZeroDivisionError('of a rule')\n"
    "command.run_at_once = run_at_once\n"
    "raise SystemExit(main(['validate']))\n"
)


def test_70_with_the_traceback_in_a_file(tmp_path: Path) -> None:
    ended = python(BROKEN, TMPDIR=str(tmp_path))
    (saved,) = tmp_path.glob("forge-bug-*.txt")
    assert ended.returncode == 70
    assert ended.stderr == (
        f"forge: bug: ZeroDivisionError: of a rule; the traceback is in {saved}, please report it\n"
    )
    assert "ZeroDivisionError: of a rule" in saved.read_text()


def test_70_also_where_no_file_can_be_written() -> None:
    program = "import tempfile; tempfile.tempdir = '/nonexistent'\n" + BROKEN
    ended = python(program)
    assert ended.returncode == 70
    assert ended.stderr == (
        "forge: bug: ZeroDivisionError: of a rule; "
        "the traceback could not be saved (No such file or directory)\n"
    )


def test_a_closed_standard_output_is_no_bug(tmp_path: Path) -> None:
    (tmp_path / "a.forge.yaml").write_text(VALID)
    command = f"{sys.executable} -m forge_cli validate >&- 2>&-"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 0


def test_nothing_is_needed_of_home_or_the_folder(tmp_path: Path) -> None:
    (tmp_path / "a.forge.yaml").write_text(VALID)
    tmp_path.chmod(0o555)
    program = "from forge_cli.__main__ import main; raise SystemExit(main(['validate']))"
    assert python(program, HOME="/nonexistent").returncode == 0


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_has_help_with_an_example(command: str) -> None:
    program = (
        f"from forge_cli.__main__ import main; raise SystemExit(main([{command!r}, '--help']))"
    )
    ended = python(program)
    assert ended.returncode == 0
    assert f"  forge {command}" in ended.stdout


@pytest.mark.parametrize("command", ["plan", "run"])
def test_running_a_small_file_needs_no_library_that_is_slow_to_import(
    tmp_path: Path, command: str
) -> None:
    (tmp_path / "a.yaml").write_text(VALID)
    assert not imported(command, "a.yaml", "--workspace", str(tmp_path)) & LIBRARIES
