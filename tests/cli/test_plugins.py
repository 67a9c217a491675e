"""The command `forge plugins`."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.__main__ import main
from forge_cli.app.plugins import Kind
from forge_cli.cli.plugins import plugins_lines
from forge_cli.cli.terminal import Terminal

Install = Callable[..., Path]
Forge = Callable[..., tuple[int, str]]

SOURCE = "class Shout:\n    settings = {}\n    async def run(self, turn): ...\n"


@pytest.fixture
def forge(capfd: pytest.CaptureFixture[str]) -> Forge:
    """A command line: exit code and standard output."""

    def call(*words: str) -> tuple[int, str]:
        code = main(list(words))
        return code, capfd.readouterr().out

    return call


def test_kinds_are_listed_with_whose_they_are() -> None:
    found = [Kind("command", "forge-cli", "0.1"), Kind("shout", "acme", "1.0", "m:Shout")]
    expected = """\
kind     from           state
command  forge-cli 0.1  built in
shout    acme 1.0       works
"""
    assert plugins_lines(found, Terminal()) == expected.splitlines()


def test_what_is_broken_is_said_below() -> None:
    found = [Kind("shout", "acme", "1.0", "m:Shout", "'m' has no class 'Shout'")]
    expected = """\
kind   from      state
shout  acme 1.0  BROKEN
  'm' has no class 'Shout'
"""
    assert plugins_lines(found, Terminal()) == expected.splitlines()


def test_verbose_says_what_is_named_and_what_it_takes() -> None:
    found = [Kind("shout", "acme", "1.0", "m:Shout", settings={"type": "object"})]
    assert plugins_lines(found, Terminal(), verbose=True)[2:] == [
        "  entry point  m:Shout",
        '  settings     {"type": "object"}',
    ]


def test_foreign_names_move_no_cursor() -> None:
    found = [Kind("a\x1b[2J", "b\u202e", "1", "m:A", "c\x1b[31m")]
    assert not {"\x1b", "\u202e"} & set("".join(plugins_lines(found, Terminal())))


def test_0_where_all_work(forge: Forge, install: Install) -> None:
    install("acme", "shout = acme_shout_2:Shout", acme_shout_2=SOURCE)
    code, out = forge("plugins")
    assert code == 0
    assert "shout     acme 1.0" in out


def test_1_where_one_is_broken_and_quiet_shows_only_that(forge: Forge, install: Install) -> None:
    install("acme", "shout = acme_shout_3:Shout", "bad = nothing_like_it:Bad", acme_shout_3=SOURCE)
    code, out = forge("plugins", "-q")
    assert code == 1
    assert "'nothing_like_it' cannot be imported: ModuleNotFoundError" in out
    assert "shout" not in out


def test_a_name_that_forge_has_itself_is_a_clash(forge: Forge, install: Install) -> None:
    install("acme", "agent = m:Agent")
    code, out = forge("plugins")
    assert code == 1
    assert "forge has a handler kind 'agent' of its own" in out


def test_json_is_one_document(forge: Forge, install: Install) -> None:
    install("acme", "shout = acme_shout_4:Shout", acme_shout_4=SOURCE)
    code, out = forge("plugins", "--format", "json")
    handlers = {each["kind"]: each for each in json.loads(out)["handlers"]}
    assert code == 0
    assert handlers["shout"] == {
        "kind": "shout",
        "distribution": "acme",
        "version": "1.0",
        "target": "acme_shout_4:Shout",
        "problem": None,
        "settings": {},
    }
    assert handlers["command"]["target"] is None


def test_a_stale_entry_point_breaks_no_other_command(forge: Forge, install: Install) -> None:
    install("acme", "shout = gone:Shout", "what is this")
    assert forge("--help")[0] == 0
    assert forge("plugins", "--help")[0] == 0
