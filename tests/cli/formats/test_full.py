"""How findings look to people."""

from pathlib import Path

import pytest

from forge_cli.app.validate import Report
from forge_cli.cli.formats import Checked, concise, full
from forge_cli.cli.terminal import ASCII_TWINS, Terminal
from forge_cli.manifest.findings import Finding, Place, Severity, Spot
from forge_cli.manifest.reading.places import locate_all

DATA = Path(__file__).parent / "data"
REVIEW = ("work_items", "review")
REVIEWER = ("roles", "reviewer")

THREE = (
    Finding(
        "unknown-key",
        Spot((*REVIEW, "needs"), "key", note="GitHub's word; forge says 'depends_on'"),
        "unknown key 'needs' in item 'review'",
        "write  depends_on: [build]\nthe reference on line 34 already orders the two",
    ),
    Finding(
        "capability-exceeds-role",
        Spot((*REVIEW, "capabilities"), note="not held by the role", token="repository-write"),
        "'repository-write' exceeds role 'reviewer'",
        "write  capabilities: [repository-read]\n"
        "or add it to the role on line 16, which `forge diff` will call breaking",
        (
            Spot(
                (*REVIEWER, "capabilities"),
                "key",
                note="role 'reviewer' holds 1: 'repository-read'",
            ),
        ),
    ),
    Finding(
        "scope-exceeds-parent",
        Spot((*REVIEW, "scope", 1), note="reaches 'test_.py', which the role does not"),
        "scope exceeds role 'reviewer'",
        "write  scope: [files:src/**, files:tests/**/test_*.py]",
        (
            Spot(
                (*REVIEWER, "scope"),
                "key",
                note="role 'reviewer' may touch 2 patterns: files:src/**, files:tests/**",
            ),
        ),
    ),
)


def report(*findings: Finding, data: bytes | None = None, path: str = "fix.forge.yaml") -> Report:
    data = (DATA / "fix.forge.yaml").read_bytes() if data is None else data
    return Report(path, tuple(locate_all(findings, data)), data)


def shown(found: Report, terminal: Terminal | None = None) -> str:
    lines = full.write(Checked((found,), quiet=True), terminal or Terminal())
    return "".join(f"{line}\n" for line in lines)


def one(
    data: bytes, place: Place, note: str = "", severity: Severity = "error", path: str = "m.yaml"
) -> Report:
    """A report of one finding at a known place."""
    return report(
        Finding("a-rule", Spot(place=place, note=note), "a message", severity=severity),
        data=data,
        path=path,
    )


def elsewhere() -> Report:
    """A report of one finding in an included file, with places in both files."""
    file = "team/roles.yaml"
    finding = Finding(
        "a-rule",
        Spot(place=Place(2, 1, 2, 2), file=file),
        "a message",
        "a hint",
        (
            Spot(place=Place(1, 1, 1, 8), note="included here"),
            Spot(place=Place(1, 1, 1, 2), note="first here", file=file),
        ),
    )
    return Report("m.yaml", (finding,), b"include: [x]\n", {file: b"a: 1\nb: 2\n"})


def test_places_in_other_files_have_a_line_that_names_them_and_their_own_source() -> None:
    assert shown(elsewhere()) == (
        "team/roles.yaml:2:1: error: a message [a-rule]\n"
        "  │\n"
        "1 │ a: 1\n"
        "  │ ─ first here\n"
        "2 │ b: 2\n"
        "  │ ^\n"
        "  │\n"
        "  ├ m.yaml:1:1\n"
        "1 │ include: [x]\n"
        "  │ ─────── included here\n"
        "  │\n"
        "  ╰ help: a hint\n"
    )
    assert list(concise.write(Checked((elsewhere(),)), Terminal())) == [
        "team/roles.yaml:2:1: error: a message [a-rule]"
    ]


def test_three_findings_look_as_designed() -> None:
    lines = full.write(Checked((report(*THREE),)), Terminal())
    assert "".join(f"{line}\n" for line in lines) == (DATA / "full.txt").read_text()


def test_ascii_is_the_same_text_through_one_table() -> None:
    expected = (DATA / "third_in_ascii.txt").read_text()
    assert shown(report(THREE[2]), Terminal(ascii=True)) == expected
    assert shown(report(*THREE)).translate(ASCII_TWINS) == shown(
        report(*THREE), Terminal(ascii=True)
    )


def test_colour_only_repeats_words() -> None:
    colored = shown(report(*THREE), Terminal(color=True))
    assert "\x1b[31merror\x1b[0m" in colored
    for code in ("31", "1", "2", "0"):
        colored = colored.replace(f"\x1b[{code}m", "")
    assert colored == shown(report(*THREE))


def test_warnings_are_yellow() -> None:
    found = one(b"a: 1\n", Place(1, 1, 1, 2), severity="warning")
    assert "\x1b[33mwarning\x1b[0m" in shown(found, Terminal(color=True))


def test_neighbouring_lines_have_no_gap_between_them() -> None:
    first, second = Spot(place=Place(1, 1, 1, 2), note="first"), Spot(place=Place(2, 1, 2, 2))
    found = report(
        Finding("duplicate-key", second, "twice", related=(first,)), data=b"a: 1\na: 2\n"
    )
    assert shown(found) == (
        "fix.forge.yaml:2:1: error: twice [duplicate-key]\n"
        "  │\n"
        "1 │ a: 1\n"
        "  │ ─ first\n"
        "2 │ a: 2\n"
        "  │ ^\n"
    )


def test_two_places_on_one_line_share_it() -> None:
    first, second = Spot(place=Place(1, 2, 1, 3), note="first"), Spot(place=Place(1, 8, 1, 9))
    found = report(
        Finding("duplicate-key", second, "twice", related=(first,)), data=b"{x: 1, x: 2}"
    )
    assert shown(found).splitlines()[2:] == ["1 │ {x: 1, x: 2}", "  │  ─ first", "  │        ^"]


CARETS = {
    "plain": (b"abc def\n", Place(1, 5, 1, 8), "abc def", "    ^^^"),
    "tab": (b"a:\tbc\n", Place(1, 4, 1, 6), "a:    bc", "      ^^"),
    "wide": ("漢字: x\n".encode(), Place(1, 5, 1, 6), "漢字: x", "      ^"),
    "wide token": ("a: 漢字\n".encode(), Place(1, 4, 1, 6), "a: 漢字", "   ^^^^"),
    "combining": ("e\u0301: x\n".encode(), Place(1, 5, 1, 6), "e\u0301: x", "   ^"),
    "escape": (b"a: \x1b[2Jx\n", Place(1, 4, 1, 5), "a: \\x1b[2Jx", "   ^^^^"),
    "hidden": ("a: \u202ex\n".encode(), Place(1, 5, 1, 6), "a: \\u202ex", "         ^"),
    "undecodable": (b"a: \xe9x\n", Place(1, 5, 1, 6), "a: \\xe9x", "       ^"),
    "several lines": (b"a: [b,\n  c]\n", Place(1, 4, 2, 5), "a: [b,", "   ^^^"),
    "CRLF": (b"a: b\r\n", Place(1, 4, 2, 1), "a: b", "   ^"),
    "behind the end": (b"a: b\n", Place(1, 9, 1, 10), "a: b", "    ^"),
    "behind the last line": (b"a: b\n", Place(7, 1, 7, 2), "", "^"),
    "byte order mark": (b"\xef\xbb\xbfa: b\n", Place(1, 1, 1, 2), "a: b", "^"),
}


@pytest.mark.parametrize(("data", "place", "line", "caret"), CARETS.values(), ids=CARETS.keys())
def test_the_caret_is_under_the_token(data: bytes, place: Place, line: str, caret: str) -> None:
    rows = shown(one(data, place)).splitlines()
    assert rows[2] == f"{place.line} │ {line}".rstrip()
    assert rows[3] == f"  │ {caret}"


def test_of_a_long_line_the_part_with_the_token_is_shown() -> None:
    data = b"a: [" + b"bcde, " * 1_000_000 + b"TOKEN" + b", fghi" * 1_000_000 + b"]"
    column = data.index(b"TOKEN") + 1
    rows = shown(one(data, Place(1, column, 1, column + 5))).splitlines()
    assert max(map(len, rows[2:])) <= 100
    caret = rows[3].index("^")
    assert rows[2][caret : caret + 5] == "TOKEN"


def test_nothing_unprintable_reaches_the_terminal() -> None:
    hostile = "x\x1b]0;title\x07\u202e\u200b\r\n\udcff"
    finding = Finding(
        "a-rule",
        Spot(place=Place(1, 1, 1, 2), note=hostile),
        f"'{hostile}' is wrong",
        f"write  {hostile}",
    )
    for text in (
        shown(report(finding, data=hostile.encode(errors="replace"), path=hostile)),
        "\n".join(concise.write(Checked((report(finding, path=hostile),)), Terminal())),
    ):
        assert all(line.isprintable() for line in text.split("\n"))


def test_what_the_encoding_lacks_is_escaped_before_it_is_measured() -> None:
    found = one("é: ü x\n".encode(), Place(1, 6, 1, 7))
    rows = shown(found, Terminal(ascii=True, encoding="ascii")).splitlines()
    assert rows[2:4] == ["1 | \\xe9: \\xfc x", "  |            ^"]


def test_concise_is_one_line_each() -> None:
    assert list(concise.write(Checked((report(*THREE),)), Terminal())) == [
        "fix.forge.yaml:31:5: error: unknown key 'needs' in item 'review' [unknown-key]",
        (
            "fix.forge.yaml:35:37: error: 'repository-write' exceeds role 'reviewer' "
            "[capability-exceeds-role]"
        ),
        "fix.forge.yaml:36:27: error: scope exceeds role 'reviewer' [scope-exceeds-parent]",
    ]


def test_the_summary_counts() -> None:
    error = one(b"a: 1\n", Place(1, 1, 1, 2))
    warning = one(b"a: 1\n", Place(1, 1, 1, 2), severity="warning")
    other = error._replace(findings=(error.findings[0]._replace(rule="another-rule"),))
    clean = Report("c.yaml", (), b"")
    last = [
        ((error,), "1 error in 1 file.  More: forge explain a-rule"),
        ((error, warning, warning), "1 error, 2 warnings in 3 files.  More: forge explain a-rule"),
        (
            (warning, other, error),
            "2 errors, 1 warning in 3 files.  More: forge explain another-rule",
        ),
        ((error, clean), "1 error in 1 of 2 files.  More: forge explain a-rule"),
        ((clean,), "No findings in 1 file."),
        ((clean._replace(unshown=1),), "No findings of the selected rules in 1 file."),
    ]
    for reports, line in last:
        assert list(full.write(Checked(reports), Terminal()))[-1] == line
