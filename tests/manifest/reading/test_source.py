"""YAML that must not fool the reader: one row for each input, with the place of the token."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from forge_cli.manifest.reading.source import MAX_SIZE, Source, parse

VALID = Path(__file__).parents[1] / "data" / "whole.forge.yaml"


def faults(data: bytes) -> list[str]:
    """`line:column rule` of each fault, in the order they are found."""
    found = []
    for fault in parse(data).faults:
        assert fault.spot.place is not None
        found.append(f"{fault.spot.place.line}:{fault.spot.place.column} {fault.rule}")
    return found


FAULTY = {
    "1 duplicate keys": (b"a: 1\na: 2\n", "2:1 duplicate-key"),
    "1 duplicate keys in a flow mapping": (b"{x: 1, x: 2}", "1:8 duplicate-key"),
    "1 the same key in quotes": (b'a: 1\n"a": 2\n', "2:1 duplicate-key"),
    "1 three times": (b"a: 1\na: 2\na: 3\n", "2:1 duplicate-key", "3:1 duplicate-key"),
    "2 a number and a boolean as keys": (
        b"{1: a, true: b}",
        "1:2 non-text-key",
        "1:8 non-text-key",
    ),
    "7 a tag on text": (b'a: !!int "x"', "1:4 yaml-tag"),
    "7 an integer of 5,000 digits": (b"a: " + b"7" * 5000, "1:4 number-out-of-range"),
    "7 a decimal of 5,000 digits": (b"a: 1." + b"7" * 5000, "1:4 number-out-of-range"),
    "7 an integer beyond 2^53": (b"a: 9007199254740992", "1:4 number-out-of-range"),
    "10 a merge": (
        b"a: &b {c: 1}\nd:\n  <<: *b\n",
        "1:4 yaml-anchor",
        "3:3 yaml-merge-key",
        "3:7 yaml-anchor",
    ),
    "10 merges of a list": (
        b"<<: [*a, *b]",
        "1:1 yaml-merge-key",
        "1:6 yaml-anchor",
        "1:10 yaml-anchor",
    ),
    "10 a mapping in itself": (b"&a {b: *a}", "1:1 yaml-anchor", "1:8 yaml-anchor"),
    "10 a list in itself": (b"x: &s [*s]", "1:4 yaml-anchor", "1:8 yaml-anchor"),
    "12 brackets": (b"a: " + b"[" * 500, "1:53 too-deep"),
    "12 dashes": (b"- " * 3000, "1:101 too-deep"),
    "12 block levels": (b"".join(b" " * n + b"a:\n" for n in range(3000)), "51:51 too-deep"),
    "13 a tab as indent": (b"a:\n\tb: 1\n", "2:1 yaml-syntax"),
    "14 a byte order mark inside": (b"a: \xef\xbb\xbf1\n", "1:4 unsafe-text"),
    "14 UTF-16": ("a: 1\n".encode("utf-16"), "1:1 foreign-encoding"),
    "14 UTF-16 without a mark": ("a: 1\n".encode("utf-16-be"), "1:1 foreign-encoding"),
    "14 Latin-1": ("a: 1\nb: xé\n".encode("latin-1"), "2:5 foreign-encoding"),
    "14 NUL": (b"a: 1\nb: x\0y\n", "2:5 unsafe-text"),
    "14 BEL": (b"a: 1\nb: x\x07y\n", "2:5 unsafe-text"),
    "14 DEL": (b"a: 1\nb: x\x7fy\n", "2:5 unsafe-text"),
    "14 form feed in a path": (b"a: 1\nb: x/\x0cy\n", "2:6 unsafe-text"),
    "15 a lone carriage return hides a key": (b"a: 1\rb: 2\n", "1:5 unsafe-text"),
    "15 U+0085": ("a: 1\x85b: 2\n".encode(), "1:5 unsafe-text"),
    "15 U+2028": ("a: 1\u2028b: 2\n".encode(), "1:5 unsafe-text"),
    "16 a second document": (b"a: 1\n---\nb: 2\n", "2:1 second-document"),
    "16 a trailing separator": (b"a: 1\n---\n", "2:1 second-document"),
    "16 text behind the end": (b"a: 1\n...\nb: 2\n", "3:1 second-document"),
    "17 an empty file": (b"", "1:1 empty-manifest"),
    "17 only comments": (b"# a\n# b\n", "1:1 empty-manifest"),
    "17 a tilde": (b"~\n", "1:1 empty-manifest"),
    "17 text": (b"hello\n", "1:1 wrong-type"),
    "17 a list": (b"# a list\n[1]\n", "2:1 wrong-type"),
    "18 a list as a key": (b"? [a]\n: b\n", "1:3 non-text-key"),
    "18 null as a key": (b"a: 1\nnull: 2\n", "2:1 non-text-key"),
    "18 nothing as a key": (b"a: 1\n? \n: 2\n", "2:2 non-text-key"),
    "18 a long key": (b"k" * 2000 + b": 1\n", "1:2001 yaml-syntax"),
    "18 a long key with a question mark": (b"? " + b"k" * 2000 + b"\n: 1\n", "1:3 too-large"),
    "19 a Python object": (b"a: !!python/object:x.Y {}", "1:4 yaml-tag"),
    "19 an environment tag": (b"a: !env HOME", "1:4 yaml-tag"),
    "19 binary": (b"a: !!binary aGk=", "1:4 yaml-tag"),
    "19 a set": (b"a: !!set {b, c}", "1:4 yaml-tag"),
    "19 text forced": (b"a: !!str 1", "1:4 yaml-tag"),
    "19 a tag on a mapping": (b"a: !foo {}", "1:4 yaml-tag"),
    "19 a tag on a list": (b"a:\n  - !foo [b]\n", "2:5 yaml-tag"),
    "19 a tag on a block": (b"a: !foo\n  b: 1\n", "1:4 yaml-tag"),
    "20 a version of the future": (b"%YAML 9.9\n---\na: 1\n", "1:1 yaml-syntax"),
    "20 a version where on is true": (b"%YAML 1.1\n---\na: on\n", "1:1 yaml-directive"),
    "21 an at sign": (b"a: @x\n", "1:4 yaml-syntax"),
    "21 a glob": (b"a: *.py\n", "1:4 yaml-syntax"),
    "21 a glob in a list": (b"a:\n  - **/x\n", "2:5 yaml-syntax"),
    "21 a second colon": (b"a: b: c\n", "1:5 yaml-syntax"),
    "21 an unclosed quote": (b"a: 1\nb: 'c\nd: 2\n", "2:4 yaml-syntax"),
    "21 template braces": (b"a: {{ x }}\n", "1:4 non-text-key"),
    "22 a direction override in a key": ("ab\u202ec: 1\n".encode(), "1:3 unsafe-text"),
    "22 a zero-width space in a key": ("a\u200bb: 1\n".encode(), "1:2 unsafe-text"),
    "24 a lone surrogate": (b'a: "\\uD800"\n', "1:5 unsafe-text"),
    "24 a direction override by escape": (b'a: "b\\u202Ec"\n', "1:6 unsafe-text"),
    "24 a bell by escape": (b'a: "b\\a"\n', "1:6 unsafe-text"),
    "31 the third line of a CRLF file": (b"a: 1\r\nb: 2\r\na: 3\r\n", "3:1 duplicate-key"),
    "31 behind a block scalar": (
        b"a: |\n" + b"  x\n" * 15 + b"b: 1\na: 2\n",
        "18:1 duplicate-key",
    ),
    "A27 a bad indent": (b"a:\n  b: 1\n c: 2\n", "3:2 yaml-syntax"),
    "A29 template braces as a key": (b"a:\n  {{ groupId }}: 1\n", "2:3 non-text-key"),
    "A30 a formula": (b"a: =[{id: 3}]\n", "1:9 yaml-syntax"),
    "an unclosed bracket": (b"a: 1\nb: {c: d\n", "2:4 yaml-syntax"),
    "a list on its key's line": (b"a: - b\n", "1:4 yaml-syntax"),
    "a key without colon": (b"a: 1\nb\nc: 2\n", "2:1 yaml-syntax"),
    "a noncharacter": ("a: x\ufdd0\n".encode(), "1:5 unsafe-text"),
    "variation selectors that hide data": ("a: x\ufe0f\ufe0f\n".encode(), "1:6 unsafe-text"),
    "a tag directive": (b"%TAG !a! x\n---\na: 1\n", "1:1 yaml-directive"),
    "all of them in one pass": (
        b"a: 1\na: &x 2\n3: b\nc: !d e\n",
        "2:1 duplicate-key",
        "2:4 yaml-anchor",
        "3:1 non-text-key",
        "4:4 yaml-tag",
    ),
}


@pytest.mark.parametrize("row", FAULTY.values(), ids=FAULTY.keys())
def test_a_fault_is_found_at_its_token(row: tuple[bytes, *tuple[str, ...]]) -> None:
    data, *expected = row
    assert faults(data) == expected


VALUES = {
    "3 words that were booleans once": (
        b"NO: on\nyes: no\non: y\noff:\n- no",
        {"NO": "on", "yes": "no", "on": "y", "off": ["no"]},
    ),
    "3 as the last line without newline": (b"a:\n- no", {"a": ["no"]}),
    "4 octal, hex and underscores": (
        b"[010, 0o10, 08, 0x1F, 1_000]",
        ["010", "0o10", "08", "0x1F", "1_000"],
    ),
    "5 base sixty": (
        b"[22:22, 1:30, 12:30:00, 09:30]",
        ["22:22", "1:30", "12:30:00", "09:30"],
    ),
    "6 times": (
        b"[2026-08-30T19:00:00Z, 2026-08-30T19:00:00, 2026-08-30, 2026-08-30T19:00:00+02:00]",
        [
            "2026-08-30T19:00:00Z",
            "2026-08-30T19:00:00",
            "2026-08-30",
            "2026-08-30T19:00:00+02:00",
        ],
    ),
    "7 a month 13 and an hour 25": (
        b"[2026-13-01, 2026-01-01T25:00:00Z]",
        ["2026-13-01", "2026-01-01T25:00:00Z"],
    ),
    "8 exponents, infinities": (
        b"[1e3, 1.0e+999, .nan, .inf, -.inf]",
        ["1e3", "1.0e+999", ".nan", ".inf", "-.inf"],
    ),
    "9 decimals": (b"[1.10, 2.1.0, 0.5, -3.25]", [1.1, "2.1.0", 0.5, -3.25]),
    "13 a tab behind a colon": (b"[{a:\tb}]", [{"a": "b"}]),
    "30 quoted words and numbers": (b'["true", \'3\', "null"]', ["true", "3", "null"]),
    "integers": (b"[0, 7, -1, +1, 9007199254740991]", [0, 7, -1, "+1", 9007199254740991]),
    "booleans": (b"[true, false, True, FALSE]", [True, False, "True", "FALSE"]),
    "nulls": (b"[null, ~, '', {a: }]", [None, None, "", {"a": None}]),
    "block scalars": (b"- |\n  a\n  b\n- >-\n  a\n  b\n", ["a\nb\n", "a b"]),
    "an emoji with its presentation": ("[\u26a0\ufe0f x]".encode(), ["\u26a0\ufe0f x"]),
    "empty collections": (b"[[], {}]", [[], {}]),
}


@pytest.mark.parametrize(("text", "value"), VALUES.values(), ids=VALUES.keys())
def test_a_value_is_what_it_looks_like(text: bytes, value: object) -> None:
    data = b"v:\n" + b"".join(b"  " + line + b"\n" for line in text.splitlines())
    assert parse(data) == Source({"v": value})


ACCEPTED = {
    "14 a byte order mark at the start": b"\xef\xbb\xbfa: 1\n",
    "15 CRLF": b"a:\r\n  1\r\n",
    "20 the current version": b"%YAML 1.2\n---\na: 1\n",
    "a separator before": b"# c\n---\na: 1\n",
    "an end": b"a: 1\n...\n",
    "no newline at the end": b"a: 1",
}


@pytest.mark.parametrize("data", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_what_is_harmless_is_accepted(data: bytes) -> None:
    assert parse(data) == Source({"a": 1})


def test_the_first_of_two_equal_keys_counts_and_is_shown() -> None:
    source = parse(b"a:\n  b: 1\n  b: 2\n")
    (fault,) = source.faults
    assert source.data == {"a": {"b": 1}}
    assert [(spot.path, spot.part) for spot in fault.related] == [(("a", "b"), "key")]


def test_faulty_keys_are_left_out_and_their_mappings_named() -> None:
    source = parse(b"a: {1: x, b: !t y, c: z}\nd: [1, *e]\nf: 1\n")
    assert source.data == {"a": {"c": "z"}, "f": 1}
    assert source.holes == {("a",), ()}


def test_keys_with_unseen_characters_are_left_out() -> None:
    source = parse("a\u200bb: 1\nc: 2\n".encode())
    assert source.data == {"c": 2}
    assert source.holes == {()}


def test_nothing_that_is_no_mapping_is_data() -> None:
    assert parse(b"[1]").data is None


def test_a_syntax_error_leaves_no_data_but_the_faults_before_it() -> None:
    source = parse(b"a: 1\na: 2\nb: @x\n")
    assert source.data is None
    assert [fault.rule for fault in source.faults] == ["duplicate-key", "yaml-syntax"]


HINTS = {
    b"a: *.py\n": 'write  "*.py"',
    b"a: **/x # y\n": 'write  "**/x"',
    b"a: @x\n": 'write  "@x"',
    b"a: b: c\n": 'quote the value: a: "b: c"',
    b"a: {{ x }}\n": 'quote the template\'s braces: "{{ x }}"',
    b"a: =[{id: 3}]\n": 'quote the value: a: "=[{id: 3}]"',
    b"a:\n\tb: 1\n": "indent with spaces, not with tabs",
    b"1: a\n": 'write  "1"',
}


@pytest.mark.parametrize(("data", "hint"), HINTS.items())
def test_the_hint_can_be_typed(data: bytes, hint: str) -> None:
    assert parse(data).faults[0].hint == hint


MESSAGES = {
    b"a: x\x0cy\n": "U+000C, a control character, may not stand in a manifest",
    "a: \u202e\n".encode(): "U+202E, a bidirectional character, may not stand in a manifest",
    "a: \u200b\u200b\n".encode(): (
        "U+200B, an invisible character, may not stand in a manifest (2 times)"
    ),
    b"a: \xe9\n": "byte 0xE9 is not UTF-8 here; a manifest is UTF-8 text",
    b'a: "\\uD800"\n': r"the escape \uD800 stands for U+D800, a lone surrogate",
    b"a:\n\tb: 1\n": "a tab may not indent a line",
    b"": "empty manifest",
    b"hello": "the top level must be a mapping, found 'hello'",
}


@pytest.mark.parametrize(("data", "message"), MESSAGES.items())
def test_the_message_names_what_is_wrong(data: bytes, message: str) -> None:
    assert parse(data).faults[0].message == message


BOMBS = {
    "11 aliases of aliases": b"a0: &a0 [x]\n"
    + b"".join(
        b"a%d: &a%d [%s]\n" % (n, n, b", ".join([b"*a%d" % (n - 1)] * 9)) for n in range(1, 9)
    ),
    "12 a chain of merges": b"a0: &a0 {x: 1}\n"
    + b"".join(b"a%d: &a%d {<<: [*a%d, *a%d]}\n" % (n, n, n - 1, n - 1) for n in range(1, 19)),
    "12 a million brackets": b"[" * 1_000_000,
    "12 a million closed lists": b"[" + b"[]," * 1_000_000 + b"]",
    "numbers without end": b"[" + b"1," * (MAX_SIZE // 2 - 1) + b"]",
    "duplicates without end": b"a: 1\n" * (MAX_SIZE // 5),
    "unseen characters without end": "é\u200b".encode() * (MAX_SIZE // 5),
    "undecodable bytes without end": b"a: " + b"\xff" * (MAX_SIZE - 3),
    "tag directives without end": b"".join(b"%%TAG !a%d! x\n" % n for n in range(500_000)),
    "anchors without end": b"a: [" + b"&a b, " * (MAX_SIZE // 6 - 1),
    "a comment without end": b"#" * MAX_SIZE,
    "a text without end": b"a: '" + b"\n" * (MAX_SIZE - 5) + b"'",
}


@pytest.fixture
def a_hundred_thousand() -> float:
    """Seconds of processor time that a sound manifest of as many values takes here, right now."""
    data = b"a: [" + b"1, " * 100_000 + b"1]"
    started = time.process_time()
    assert parse(data).faults == ()
    return time.process_time() - started


@pytest.mark.parametrize("data", BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_is_a_fault_within_two_seconds(data: bytes, a_hundred_thousand: float) -> None:
    started = time.process_time()
    source = parse(data)
    # Two seconds; on a machine that is slow or busy, what a sound manifest of a fifth of the limit
    # shows, with room for how the speed of such a machine changes meanwhile.
    assert time.process_time() - started < max(2, 15 * a_hundred_thousand)
    assert source.faults or source.data == {"a": "\n" * (MAX_SIZE - 6)}


def test_faults_without_end_are_cut() -> None:
    found = parse(b"a: 1\n" * 5000).faults
    assert len(found) == 1001
    assert found[-1].rule == "too-large"


LARGE = {
    "100,000 keys": b"".join(b"k%d: 1\n" % n for n in range(100_000)),
    "10,000 items": b"forge: 1\nwork_items:\n"
    + b"".join(
        b"  item%d:\n    run: [echo, hello]\n    capabilities: []\n    depends_on: [item0]\n" % n
        for n in range(10_000)
    ),
}


@pytest.mark.parametrize("data", LARGE.values(), ids=LARGE.keys())
def test_28_large_manifests_pass(data: bytes) -> None:
    assert parse(data).faults == ()


def test_memory_stays_below_256_mib() -> None:
    # The peak of `getrusage` would be that of the process that started this one, if it was higher.
    program = (
        "import re, sys; from forge_cli.manifest.reading.source import parse;"
        "parse(sys.stdin.buffer.read());"
        "status = open('/proc/self/status').read();"
        "print(int(re.search(r'VmHWM:\\s+([0-9]+)', status)[1]) // 1024)"
    )
    data = b"[" + b"1," * (MAX_SIZE // 2 - 1) + b"]"
    ended = subprocess.run(
        [sys.executable, "-c", program], input=data, capture_output=True, check=True
    )
    assert int(ended.stdout) < 256


def _is_explained(data: bytes) -> None:
    source = parse(data)
    assert source.data is not None or source.faults
    for fault in source.faults:
        place = fault.spot.place
        assert place is not None
        assert place.line >= 1
        assert place.column >= 1
        assert (place.line, place.column) <= (place.end_line, place.end_column)
        assert place.line <= data.count(b"\n") + 1


@given(st.binary(max_size=200))
@example(b"- {")
@example(b"\xff\xfe")
@example(b"%")
def test_any_bytes_are_explained(data: bytes) -> None:
    _is_explained(data)


@given(st.text(alphabet="abc:-?{}[],&*!|>'\"%@`#~ \n\t\r\\\u2028é\U0001f600", max_size=60))
@example("a: !<x")
@example("? a\n? a\n")
def test_any_text_of_yaml_signs_is_explained(text: str) -> None:
    _is_explained(text.encode())


@settings(max_examples=200)
@given(st.data())
def test_a_mutated_manifest_is_explained(data: st.DataObject) -> None:
    whole = VALID.read_bytes()
    start = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(start, min(len(whole), start + 40)))
    inserted = data.draw(st.binary(max_size=4) | st.sampled_from([b"*", b"&a ", b"\t", b"{", b"'"]))
    _is_explained(whole[:start] + inserted + whole[end:])


def test_the_whole_manifest_has_no_fault() -> None:
    assert parse(VALID.read_bytes()).faults == ()
