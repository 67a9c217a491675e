"""What a stream can show."""

import io

import pytest

from forge_cli.cli.terminal import ASCII_TWINS, GLYPHS, Terminal, width


class Stream(io.StringIO):
    """A stream with an encoding, at a terminal or not."""

    def __init__(self, encoding: str = "utf-8", at_terminal: bool = False) -> None:
        super().__init__()
        self.name_of_encoding = encoding
        self.at_terminal = at_terminal

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self.name_of_encoding

    def isatty(self) -> bool:
        return self.at_terminal


@pytest.mark.parametrize(
    ("at_terminal", "option", "environ", "color"),
    [
        (True, "auto", {}, True),
        (False, "auto", {}, False),
        (True, "auto", {"TERM": "dumb"}, False),
        (False, "auto", {"FORCE_COLOR": "1"}, True),
        (True, "auto", {"NO_COLOR": "1"}, False),
        (True, "auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        (True, "auto", {"NO_COLOR": ""}, True),
        (False, "auto", {"FORCE_COLOR": "0"}, False),
        (False, "always", {"NO_COLOR": "1"}, True),
        (True, "never", {"FORCE_COLOR": "1"}, False),
    ],
)
def test_colour_follows_option_then_environment_then_stream(
    at_terminal: bool, option: str, environ: dict[str, str], color: bool
) -> None:
    assert Terminal.of(Stream(at_terminal=at_terminal), option, environ).color is color


@pytest.mark.parametrize(
    ("encoding", "environ", "plain"),
    [
        ("utf-8", {}, False),
        ("cp1252", {}, True),
        ("ascii", {}, True),
        ("utf-8", {"FORGE_ASCII": "1"}, True),
        ("utf-8", {"FORGE_ASCII": "0"}, False),
        ("no-such-encoding", {}, True),
    ],
)
def test_ascii_where_the_encoding_or_the_user_needs_it(
    encoding: str, environ: dict[str, str], plain: bool
) -> None:
    assert Terminal.of(Stream(encoding), environ=environ).ascii is plain


def test_each_glyph_has_one_ascii_character() -> None:
    twins = GLYPHS.translate(ASCII_TWINS)
    assert twins.isascii()
    assert len(twins) == len(GLYPHS)


def test_text_is_left_as_it_is_without_colour_and_glyphs() -> None:
    assert Terminal().ink("red", "a") == "a"
    assert Terminal().fit("│") == "│"
    assert Terminal(color=True).ink("", "a") == "a"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 漢", "plain é 漢"),
        ("\x1b[31m\n", "\\x1b[31m\\n"),
        ("\u202e\u200b\ufeff", "\\u202e\\u200b\\ufeff"),
        ("\U000e0041", "\\U000e0041"),
        ("\udcff\ud800", "\\xff\\ud800"),
        ("\x85\xa0", "\\x85\\xa0"),
    ],
)
def test_foreign_text_is_safe_to_look_at(text: str, shown: str) -> None:
    assert Terminal().safe(text) == shown


@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", '{"a": "é 😀"}'),
        ("ascii", '{"a": "\\u00e9 \\ud83d\\ude00"}'),
        ("latin-1", '{"a": "\\u00e9 \\ud83d\\ude00"}'),
    ],
)
def test_json_has_its_own_escapes_for_what_cannot_be_encoded(encoding: str, shown: str) -> None:
    assert Terminal.of(Stream(encoding), environ={}).data('{"a": "é 😀"}') == shown


def test_width_is_in_cells() -> None:
    assert [width("abc"), width("漢字"), width("e\u0301")] == [3, 4, 1]
