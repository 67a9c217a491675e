"""What YAML readers were fooled by, through the command: one process for all the files."""

import json
import os
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.field_reports.pitfalls import HELLO, ROWS, SOUND
from tests.field_reports.processes import Ended, Forge

Findings = dict[str, list[dict[str, Any]]]


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> Findings:
    """What one process finds in all of the files, by row."""
    forge = Forge(tmp_path_factory.mktemp("rows"))
    names = {}
    for number, (row, text) in enumerate([*((r, t) for r, (t, _) in ROWS.items()), *SOUND.items()]):
        names[row] = f"{number}.forge.yaml"
        forge.write(names[row], text)
    said = json.loads(forge("validate", "--format", "json").out)["findings"]
    return {
        row: [f for f in said if f["path"].endswith(f"/{name}") or f["path"] == name]
        for row, name in names.items()
    }


@pytest.mark.parametrize("row", ROWS)
def test_a_row_is_found_at_its_token(findings: Findings, row: str) -> None:
    seen = " ".join(f"{f['line']}:{f['column']} {f['rule']}" for f in findings[row])
    assert seen == ROWS[row][1]


@pytest.mark.parametrize("row", SOUND)
def test_a_row_that_is_sound_has_no_findings(findings: Findings, row: str) -> None:
    assert findings[row] == []


SUGGESTED = {
    "23 work_item": "work_items",
    "23 rols": "roles",
    "23 onfailure": "on_failure",
    "23 a nested key": "hierarchical_max_depth",
}


@pytest.mark.parametrize(("row", "key"), SUGGESTED.items())
def test_23_a_near_key_is_suggested(findings: Findings, row: str, key: str) -> None:
    assert key in str(findings[row][0]["hint"])


def test_23_nothing_is_suggested_for_what_is_near_nothing(findings: Findings) -> None:
    assert "did you mean" not in str(findings["23 zzz"][0]["hint"]).lower()


def test_1_the_first_of_two_keys_is_shown(findings: Findings) -> None:
    (related,) = findings["1 a key twice"][0]["related"]
    assert related["line"] == 6


def test_5_all_four_readings_of_a_clock_are_answered_alike(findings: Findings) -> None:
    deadlines = ["5 22:22", "5 12:30:00", "5 09:30"]
    assert len({str(findings[row][0]["hint"]) for row in deadlines}) == 1
    for row in (*deadlines, "5 1:30"):
        assert "90s, 15m, 2h, 1d" in str(findings[row][0]["hint"])


@pytest.fixture
def odd(forge: Forge) -> Ended:
    """What forge says of all paths that are no readable file, in one process."""
    (forge.folder / "dangling").symlink_to("nowhere")
    (forge.folder / "loop").symlink_to("loop")
    (forge.folder / "empty").mkdir()
    os.mkfifo(forge.folder / "pipe")
    forge.write("file.yaml", HELLO)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(forge.folder / "socket"))
    names = ("dangling", "loop", "pipe", "socket", "missing", "file.yaml/x")
    return forge("validate", *names, "/dev/zero", "/proc/self/mem")


def test_25_what_is_no_readable_file_is_a_sentence_each(odd: Ended) -> None:
    assert odd.code == 2
    sentences = odd.err.splitlines()
    assert len(sentences) == 8
    assert all(s.startswith("forge: error: '") and "Traceback" not in s for s in sentences)


CLOSED = {
    "closed": ["sh", "-c", 'exec "$@" <&-', "sh"],
    "closed with the outputs": ["sh", "-c", 'exec "$@" <&- >&-', "sh"],
}


@pytest.mark.parametrize("prefix", CLOSED.values(), ids=CLOSED.keys())
def test_25_standard_input_that_is_closed_is_a_sentence(forge: Forge, prefix: list[str]) -> None:
    said = forge("validate", "-", prefix=prefix)
    assert (said.code, said.err) == (
        2,
        "forge: error: standard input is closed; pipe a manifest into it, or name a file\n",
    )


def test_25_standard_input_that_cannot_be_read_is_a_sentence(forge: Forge) -> None:
    said = forge("validate", "-", prefix=["sh", "-c", 'exec "$@" 0>out', "sh"])
    assert said.code == 2
    assert said.err == "forge: error: standard input cannot be read: Bad file descriptor\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_25_what_may_not_be_read_is_a_sentence(forge: Forge) -> None:
    forge.write("secret.yaml", HELLO).chmod(0)
    said = forge("validate", "secret.yaml")
    assert said.code == 2
    assert said.err == "forge: error: 'secret.yaml' may not be read by this user\n"


def test_25_links_in_a_circle_do_not_stop_a_walk(forge: Forge) -> None:
    forge.write("a/b/m.forge.yaml", HELLO)
    (forge.folder / "a" / "b" / "up").symlink_to("..")
    assert forge("validate", "--list-files", "a").out == "a/b/m.forge.yaml\n"


def test_26_names_of_any_bytes_are_shown_escaped(forge: Forge) -> None:
    for name in (b"a\nb.forge.yaml", b"a\x1bb.forge.yaml", b"a\xffb.forge.yaml"):
        Path(os.fsdecode(os.fsencode(forge.folder) + b"/" + name)).write_text("zzz: 1\n")
    said = forge("validate", "--format", "concise")
    assert said.code == 1
    assert {line.partition(":")[0] for line in said.out.splitlines()} >= {
        r"a\nb.forge.yaml",
        r"a\x1bb.forge.yaml",
        r"a\xffb.forge.yaml",
    }


def test_27_a_file_of_30_mb_is_refused_at_once(forge: Forge) -> None:
    forge.write("big.yaml", HELLO + "#" * 30_000_000)
    said = forge("validate", "big.yaml")
    assert said.code == 2
    assert "--max-size" in said.err


def test_27_a_file_that_grows_while_it_is_read_ends_at_the_limit(forge: Forge) -> None:
    forge.write("log.yaml", HELLO)
    grows = 'while echo "# more" >> log.yaml; do :; done & "$@"; code=$?; kill $!; exit $code'
    said = forge("validate", "--max-size", "300", "log.yaml", prefix=["sh", "-c", grows, "sh"])
    assert said.code in (0, 2)
    assert (said.code == 0) == (said.err == "")


def test_27_a_file_in_proc_has_content_although_its_size_is_0(forge: Forge) -> None:
    assert forge("validate", "/proc/self/status").code == 1


def test_29_a_link_out_of_the_folder_is_not_followed_in_a_walk(forge: Forge) -> None:
    forge.write("in/a.forge.yaml", HELLO)
    forge.write("out/b.forge.yaml", "zzz: 1\n")
    (forge.folder / "in" / "link").symlink_to(forge.folder / "out")
    assert "1 file" in forge("validate", "in").out
