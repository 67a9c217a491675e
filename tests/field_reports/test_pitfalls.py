"""What YAML readers were fooled by, through the command: one process for all the files."""

import json
import os
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.field_reports.processes import Ended, Forge

HELLO = "forge: 1\nwork_items:\n  hello:\n    run: [echo, hello]\n    capabilities: []\n"
ITEM = HELLO + "    "
ROLE = "forge: 1\nwork_items: {b: {role: a}}\nroles:\n  a: {capabilities: [], "

ROWS: Mapping[str, tuple[str | bytes, str]] = {
    "1 a key twice": (HELLO + "name: a\nname: b\n", "7:1 duplicate-key"),
    "1 a key twice in a flow mapping": (HELLO + "labels: {x: a, x: b}\n", "6:16 duplicate-key"),
    "1 a key and the same in quotes": (HELLO + 'name: a\n"name": b\n', "7:1 duplicate-key"),
    "2 a number as a key": (HELLO + "labels: {1: a}\n", "6:10 non-text-key"),
    "2 a boolean as a key": (HELLO + "labels: {true: b}\n", "6:10 non-text-key"),
    "3 no for a boolean, on the last line": (ITEM + "required: no", "6:15 ambiguous-scalar"),
    "3 NO for a boolean": (ITEM + "required: NO\n", "6:15 ambiguous-scalar"),
    "4 010": (HELLO + "settings: {max_concurrency: 010}\n", "6:29 ambiguous-scalar"),
    "4 0o10": (HELLO + "settings: {max_concurrency: 0o10}\n", "6:29 ambiguous-scalar"),
    "4 08": (HELLO + "settings: {max_concurrency: 08}\n", "6:29 ambiguous-scalar"),
    "4 0x1F": (HELLO + "settings: {max_concurrency: 0x1F}\n", "6:29 ambiguous-scalar"),
    "4 1_000": (HELLO + "settings: {max_concurrency: 1_000}\n", "6:29 ambiguous-scalar"),
    "5 22:22": (HELLO + "deadline: 22:22\n", "6:11 bad-value"),
    "5 1:30": (ITEM + "timeout: 1:30\n", "6:14 bad-value"),
    "5 12:30:00": (HELLO + "deadline: 12:30:00\n", "6:11 bad-value"),
    "5 09:30": (HELLO + "deadline: 09:30\n", "6:11 bad-value"),
    "6 a time without offset": (HELLO + "deadline: 2036-08-30T19:00:00\n", "6:11 bad-value"),
    "6 a date": (HELLO + "deadline: 2036-08-30\n", "6:11 bad-value"),
    "7 month 13": (HELLO + "deadline: 2036-13-30T19:00:00Z\n", "6:11 bad-value"),
    "7 hour 25": (HELLO + "deadline: 2036-12-30T25:00:00Z\n", "6:11 bad-value"),
    "7 a tag on a number": (HELLO + 'budget: {tokens: !!int "x"}\n', "6:18 yaml-tag"),
    "7 5,000 digits": (HELLO + f"budget: {{tokens: {'9' * 5000}}}\n", "6:18 number-out-of-range"),
    "8 1e3": (HELLO + "budget: {cost_usd: 1e3}\n", "6:20 bad-value"),
    "8 1.0e+999": (HELLO + "budget: {cost_usd: 1.0e+999}\n", "6:20 bad-value"),
    "8 .nan": (HELLO + "budget: {cost_usd: .nan}\n", "6:20 bad-value"),
    "8 .inf": (HELLO + "budget: {cost_usd: .inf}\n", "6:20 bad-value"),
    "8 a negative budget": (HELLO + "budget: {model_calls: -1}\n", "6:23 out-of-range"),
    "8 a count as text": (HELLO + 'budget: {model_calls: "3"}\n', "6:23 wrong-type"),
    "8 a count as a boolean": (HELLO + "budget: {model_calls: true}\n", "6:23 wrong-type"),
    "8 a count as a fraction": (HELLO + "budget: {model_calls: 3.0}\n", "6:23 wrong-type"),
    "9 version 1.10 of a manifest": (HELLO + "version: 1.10\n", "6:10 ambiguous-scalar"),
    "9 version 1.10 of a role": (
        ROLE + "version: 1.10, handler: {kind: command, argv: [x]}}\n",
        "4:34 wrong-type",
    ),
    "10 an alias": (HELLO + "labels: {a: &x b}\n", "6:13 yaml-anchor"),
    "10 a merge key": (HELLO + "<<: {a: b}\n", "6:1 yaml-merge-key"),
    "10 a mapping in itself": (HELLO + "labels: &a {b: *a}\n", "6:9 yaml-anchor 6:16 yaml-anchor"),
    "12 500 brackets": (HELLO + "labels: " + "[" * 500, "6:58 too-deep"),
    "12 dashes": (HELLO + "labels:\n " + "- " * 3000, "7:100 too-deep"),
    "13 a tab as indent": (HELLO + "labels:\n\ta: b\n", "7:1 yaml-syntax"),
    "14 a byte order mark inside": (HELLO + "description: \ufeffx\n", "6:14 unsafe-text"),
    "14 UTF-16": (HELLO.encode("utf-16"), "1:1 foreign-encoding"),
    "14 Latin-1": ((HELLO + "description: é\n").encode("latin-1"), "6:14 foreign-encoding"),
    "14 NUL": (HELLO + "description: a\0b\n", "6:15 unsafe-text"),
    "14 BEL": (HELLO + "description: a\ab\n", "6:15 unsafe-text"),
    "14 DEL": (HELLO + "description: a\x7fb\n", "6:15 unsafe-text"),
    "15 a lone CR": (HELLO + "name: a\rversion: b\n", "6:8 unsafe-text"),
    "15 U+0085": (HELLO + "name: a\x85version: b\n", "6:8 unsafe-text"),
    "15 U+2028": (HELLO + "name: a\u2028version: b\n", "6:8 unsafe-text"),
    "16 a second document": (HELLO + "---\nforge: 1\n", "6:1 second-document"),
    "16 a trailing separator": (HELLO + "---\n", "6:1 second-document"),
    "16 text behind the end": (HELLO + "...\nname: a\n", "7:1 second-document"),
    "17 nothing": ("", "1:1 empty-manifest"),
    "17 comments": ("# one\n# two\n", "1:1 empty-manifest"),
    "17 a tilde": ("~\n", "1:1 empty-manifest"),
    "17 a word": ("hello\n", "1:1 wrong-type"),
    "17 a list": ("[1]\n", "1:1 wrong-type"),
    "18 a list as a key": (HELLO + "? [a]\n: b\n", "6:3 non-text-key"),
    "18 null as a key": (HELLO + "null: b\n", "6:1 non-text-key"),
    "18 a key of 2,000 characters": (HELLO + "? " + "k" * 2000 + "\n: b\n", "6:3 too-large"),
    "19 a Python object": (HELLO + "labels: !!python/object:x.Y {}\n", "6:9 yaml-tag"),
    "19 an environment tag": (HELLO + "name: !env X\n", "6:7 yaml-tag"),
    "19 text forced": (HELLO + "name: !!str 1\n", "6:7 yaml-tag"),
    "19 a tag on a list": (HELLO + "scope: !foo [files:a]\n", "6:8 yaml-tag"),
    "20 a version of the future": ("%YAML 9.9\n---\n" + HELLO, "1:1 yaml-syntax"),
    "21 an at sign": (HELLO + "name: @x\n", "6:7 yaml-syntax"),
    "21 a glob": (ITEM + "writes: [*.py]\n", "6:14 yaml-syntax"),
    "21 a glob in a list": (HELLO + "scope:\n  - **/x\n", "7:5 yaml-syntax"),
    "21 a second colon": (HELLO + "description: b: c\n", "6:15 yaml-syntax"),
    "21 an unclosed quote": (HELLO + "name: 'a\n", "6:7 yaml-syntax"),
    "21 template braces": (HELLO + "description: {{ x }}\n", "6:14 non-text-key"),
    "22 U+202E in an id": (HELLO.replace("hello:", "he\u202ello:"), "3:5 unsafe-text"),
    "22 a zero-width space in an id": (HELLO.replace("hello:", "he\u200bllo:"), "3:5 unsafe-text"),
    "22 a Cyrillic letter in an id": (HELLO.replace("hello:", "h\u0435llo:"), "3:3 id-not-slug"),
    "22 fullwidth letters in an id": (HELLO.replace("hello:", "\uff48ello:"), "3:3 id-not-slug"),
    "22 the Kelvin sign in an id": (HELLO.replace("hello:", "\u212aello:"), "3:3 id-not-slug"),
    "23 work_item": (HELLO.replace("work_items", "work_item"), "2:1 unknown-key"),
    "23 rols": (HELLO + "rols: {}\n", "6:1 unknown-key"),
    "23 onfailure": (ITEM + "onfailure: fail\n", "6:5 unknown-key"),
    "23 a nested key": (HELLO + "settings: {hierarchical_max_deepth: 1}\n", "6:12 unknown-key"),
    "23 zzz": (HELLO + "zzz: 1\n", "6:1 unknown-key"),
    "24 half of a surrogate pair": (ITEM + 'goal: "\\uD800"\n', "6:12 unsafe-text"),
    "30 a boolean in quotes": (ITEM + 'required: "true"\n', "6:15 wrong-type"),
    "30 a number in quotes": (HELLO + 'budget: {tokens: "3"}\n', "6:18 wrong-type"),
    "31 line 6 of a CRLF file": ((HELLO + "zzz: 1\n").replace("\n", "\r\n"), "6:1 unknown-key"),
    "31 behind a block scalar": (
        HELLO + "name: a\ndescription: |\n" + "  x\n" * 15 + "name: b\n",
        "23:1 duplicate-key",
    ),
}

SOUND: Mapping[str, str | bytes] = {
    "3 ids that were booleans once": HELLO.replace("hello:", "no:"),
    "6 an offset": HELLO + "deadline: 2036-08-30T19:00:00+02:00\n",
    "9 a version in quotes": HELLO + 'version: "1.10.0"\n',
    "13 a tab behind a colon": HELLO + "name:\tgreeting\n",
    "14 a byte order mark at the start": "\ufeff" + HELLO,
    "15 CRLF": HELLO.replace("\n", "\r\n"),
    "20 the current version": "%YAML 1.2\n---\n" + HELLO,
    "28 10,000 items": "forge: 1\nwork_items:\n"
    + "".join(f"  i{n}: {{run: [x], capabilities: []}}\n" for n in range(10_000)),
}

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


def test_27_a_file_in_proc_has_content_although_its_size_is_0(forge: Forge) -> None:
    assert forge("validate", "/proc/self/status").code == 1


def test_29_a_link_out_of_the_folder_is_not_followed_in_a_walk(forge: Forge) -> None:
    forge.write("in/a.forge.yaml", HELLO)
    forge.write("out/b.forge.yaml", "zzz: 1\n")
    (forge.folder / "in" / "link").symlink_to(forge.folder / "out")
    assert "1 file" in forge("validate", "in").out
