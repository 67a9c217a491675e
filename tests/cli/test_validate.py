"""`forge validate` as a program: what it prints, where, and its exit status."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from forge_cli.cli.arguments import read_at_once
from forge_cli.cli.validate_options import OPTIONS, PATHS

VALID = b"forge: 1\nwork_items:\n  hello:\n    run: [echo, hello]\n    capabilities: []\n"
DUPLICATE = b"forge: 1\nforge: 1\n" + VALID.partition(b"\n")[2]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "ok.forge.yaml").write_bytes(VALID)
    return tmp_path


def forge(*words: str, given: bytes = b"", **environ: str) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-W", "error", "-m", "forge_cli", *words]
    return subprocess.run(
        command, input=given, capture_output=True, env={**os.environ, **environ}, check=False
    )


def write(name: str, data: bytes) -> None:
    Path(name).write_bytes(data)


def test_0_where_nothing_is_wrong() -> None:
    ended = forge("validate", "ok.forge.yaml")
    assert (ended.returncode, ended.stdout) == (0, b"No findings in 1 file.\n")
    assert ended.stderr == b""


def test_1_and_the_places_of_findings() -> None:
    write("bad.forge.yaml", DUPLICATE)
    ended = forge("validate", "--format", "concise")
    assert ended.returncode == 1
    assert ended.stdout == b"bad.forge.yaml:2:1: error: duplicate key 'forge' [duplicate-key]\n"


@pytest.mark.parametrize("form", ["full", "concise", "json"])
def test_1_in_every_format(form: str) -> None:
    write("bad.forge.yaml", DUPLICATE)
    assert forge("validate", "--format", form, "bad.forge.yaml").returncode == 1


def test_2_for_what_cannot_be_read_after_the_findings_of_the_rest() -> None:
    write("bad.forge.yaml", DUPLICATE)
    ended = forge("validate", "missing.yaml", "bad.forge.yaml")
    assert ended.returncode == 2
    assert b"duplicate-key" in ended.stdout
    assert ended.stderr.startswith(b"forge: error: 'missing.yaml' does not exist; there are: ")
    assert ended.stderr.count(b"\n") == 1


def test_2_at_once_for_a_pipe_that_nobody_writes_to() -> None:
    os.mkfifo("pipe")
    assert forge("validate", "pipe").returncode == 2


def test_2_for_options_that_do_not_exist() -> None:
    ended = forge("validate", "--formt", "json")
    assert ended.returncode == 2
    assert b"--formt" in ended.stderr


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--format", "xml", b"'xml' is not one of full, concise, json"),
        ("--max-size", "8M", b"'8M' is not a number of bytes"),
        ("--stdin-filename", "", b"a name is not empty"),
        ("--now", "noon", b"'noon' is not a time with an offset"),
        ("--color", "yes", b"'yes' is not one of auto, always, never"),
    ],
)
def test_2_for_values_that_do_not_fit(option: str, value: str, sentence: bytes) -> None:
    ended = forge("validate", option, value)
    assert ended.returncode == 2
    assert option.encode() in ended.stderr
    assert sentence in ended.stderr


def test_5_where_there_is_nothing_to_check() -> None:
    Path("empty").mkdir()
    ended = forge("validate", "empty")
    assert ended.returncode == 5
    assert ended.stderr.startswith(b"forge: error: nothing to check")
    assert forge("validate", "empty", "--allow-empty").returncode == 0


def test_standard_input_is_read_only_when_asked_for() -> None:
    assert forge("validate", given=DUPLICATE).returncode == 0
    ended = forge("validate", "-", "--format=concise", given=DUPLICATE)
    assert ended.returncode == 1
    assert ended.stdout.startswith(b"<stdin>:2:1: error")


def test_standard_input_can_have_a_name() -> None:
    words = ("validate", "-", "--stdin-filename", "a.yaml", "--format", "concise")
    assert forge(*words, given=DUPLICATE).stdout.startswith(b"a.yaml:2:1: error")


def test_a_size_limit_is_the_users() -> None:
    ended = forge("validate", "--max-size", "10", "ok.forge.yaml")
    assert ended.returncode == 2
    assert b"larger than 10 bytes" in ended.stderr


def test_files_come_in_the_order_of_their_names() -> None:
    for name in ("b.forge.yaml", "a.forge.yaml", "B.forge.yaml"):
        write(name, DUPLICATE)
    ended = forge("validate", "b.forge.yaml", ".", "--format", "concise")
    names = [line.partition(":")[0] for line in ended.stdout.decode().splitlines()]
    assert names == ["B.forge.yaml", "a.forge.yaml", "b.forge.yaml"]


def test_quiet_is_silent_about_success() -> None:
    assert forge("validate", "-q").stdout == b""


def test_verbose_names_each_file() -> None:
    assert forge("validate", "-v").stderr == b"checked ok.forge.yaml: 0 findings\n"


def test_26_a_name_of_any_bytes_is_shown_escaped() -> None:
    write(os.fsdecode(b"\x1b[31m\n\xff.forge.yaml"), DUPLICATE)
    ended = forge("validate", "--format", "concise")
    assert ended.stdout.startswith(b"\\x1b[31m\\n\\xff.forge.yaml:2:1: error")


def test_output_is_the_same_bytes_under_every_hash_seed() -> None:
    write("bad.forge.yaml", b"a: 1\na: *x\n2: {b: 1, b: 2}\n")
    outputs = {forge("validate", PYTHONHASHSEED=seed).stdout for seed in ("0", "1", "2")}
    assert len(outputs) == 1


@pytest.mark.parametrize(
    "environ",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["cp1252", "C"],
)
@pytest.mark.parametrize("words", [("validate",), ("--help",), ("validate", "--help")])
def test_no_encoding_breaks_the_output(environ: dict[str, str], words: tuple[str, ...]) -> None:
    write("bad.forge.yaml", "é: 漢\né: 漢\n".encode())
    ended = forge(*words, given=b"", **environ)
    assert ended.returncode == int(words == ("validate",))
    assert ended.stderr == b""
    assert ended.stdout.isascii() or environ == {"PYTHONIOENCODING": "cp1252"}


def test_ascii_is_a_wish_that_is_heard() -> None:
    write("bad.forge.yaml", DUPLICATE)
    assert forge("validate", FORGE_ASCII="1").stdout.isascii()


def test_colour_only_where_it_is_wanted() -> None:
    write("bad.forge.yaml", DUPLICATE)
    assert b"\x1b" not in forge("validate").stdout
    assert b"\x1b[31m" in forge("validate", "--color", "always").stdout


def test_json_on_standard_output_is_one_document() -> None:
    write("bad.forge.yaml", DUPLICATE)
    found = json.loads(forge("validate", "--format", "json", "missing", "bad.forge.yaml").stdout)
    assert [finding["rule"] for finding in found["findings"]] == ["duplicate-key"]


def test_help_lists_every_option() -> None:
    shown = forge("validate", "--help").stdout.decode()
    for option in OPTIONS:
        for name in option.names:
            assert name in shown


PLAIN = [
    [],
    ["a", "--strict", "b"],
    ["--format=json", "-"],
    ["--format", "json", "--format", "concise"],
    ["-q", "-v", "--allow-empty", "--", "--strict"],
    ["--now", "2026-11-30T14:00:00Z", "--max-size", "5"],
    ["--stdin-filename", "-x"],
]


@pytest.mark.parametrize("words", PLAIN)
def test_both_readers_of_the_command_line_agree(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[dict[str, object]] = []

    def record(**values: object) -> int:
        seen.append(values)
        return 0

    import typer

    from forge_cli.cli.arguments import typer_function

    app = typer.Typer(add_completion=False)
    app.command()(typer_function(OPTIONS, PATHS, record))
    app(words, standalone_mode=False)
    assert seen == [read_at_once(OPTIONS, PATHS, words)]


@pytest.mark.parametrize("words", [["-qv"], ["--help"], ["--format"], ["--strict=1"], ["--nope"]])
def test_what_is_not_plain_is_left_to_the_other_reader(words: list[str]) -> None:
    assert read_at_once(OPTIONS, PATHS, words) is None


def test_short_options_may_be_joined() -> None:
    ended = forge("validate", "-qv")
    assert (ended.returncode, ended.stdout) == (0, b"")
