"""The options that every command has: what they leave out, what they add, how it looks."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.__main__ import main
from forge_cli.cli.main import COMMANDS
from forge_cli.cli.terminal import ASCII_TWINS

Forge = Callable[..., str]

TYPICAL = {
    "init": ["init", "new"],
    "validate": ["validate", "café.yaml"],
    "plan": ["plan", "café.yaml"],
    "diff": ["diff", "old.yaml", "café.yaml"],
    "run": ["run", "café.yaml"],
    "resume": ["resume", "held", "--allow-paused"],
    "runs": ["runs"],
    "show": ["show", "first"],
    "verify": ["verify", "evidence"],
    "gateway": ["gateway", "café.yaml", "greet"],
    "graph": ["graph", "café.yaml"],
    "explain": ["explain", "scope-exceeds-parent"],
    "schema": ["schema"],
    "plugins": ["plugins"],
}
"""A command line of each command, for the folder below."""

REPEATABLE = [command for command in COMMANDS if command not in ("init", "run", "gateway")]
"""Commands that say the same the second time."""

MANIFEST = """forge: 1
name: cafe
version: 0.1.0
description: Greets the café
inputs: {who: {default: Zoë}}
roles:
  unused: {capabilities: [read], handler: {kind: command, argv: [cat]}}
work_items:
  greet: {run: [printf, "hello ${inputs.who}\\n1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n10\\n11\\n12"],
          capabilities: []}
"""

OLD = MANIFEST.replace("0.1.0", "0.0.1").replace("Zoë", "Chloë")

HELD = """forge: 1
work_items:
  greet: {run: [echo, hello], capabilities: [], approval: required}
"""


@pytest.fixture(scope="module")
def once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which the manifests above have run, the first as `first` and `second`."""
    folder = tmp_path_factory.mktemp("once")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("café.yaml").write_text(MANIFEST, "utf-8")
        Path("old.yaml").write_text(OLD, "utf-8")
        Path("held.yaml").write_text(HELD, "utf-8")
        words = ["--workspace", ".", "-q", "--allow-paused", "--run-id"]
        assert main(["run", "held.yaml", *words, "held"]) == 0
        for name in ("first", "second"):
            assert main(["run", "café.yaml", *words, name]) == 0
    return folder


@pytest.fixture
def forge(
    once: Path,
    tmp_path: Path,
    install: Callable[..., Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Forge:
    """Runs a command line in a copy of that folder: standard output and error, one after other.

    A plug-in is installed.
    """
    install("acme", "shout = acme:Shout", acme="class Shout:\n    async def run(self, turn): ...\n")
    for name in ("NO_COLOR", "FORCE_COLOR", "FORGE_ASCII", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
    folder = shutil.copytree(once, tmp_path / "here")
    (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    capsys.readouterr()

    def run(*words: str) -> str:
        assert main(list(words)) == 0
        return "".join(capsys.readouterr())

    return run


def test_every_command_is_tried_here() -> None:
    assert list(TYPICAL) == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_the_three_options(command: str, forge: Forge) -> None:
    shown = forge(command, "--help")
    assert [n for n in ("-q, --quiet", "-v, --verbose", "--color WHEN") if n not in shown] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_says_less(command: str, forge: Forge) -> None:
    words = TYPICAL[command]
    quiet = forge(*words, "--quiet")
    shutil.rmtree("new", ignore_errors=True)
    assert len(quiet) < len(forge(*words))


@pytest.mark.parametrize("command", COMMANDS)
def test_verbose_says_more(command: str, forge: Forge) -> None:
    words = TYPICAL[command]
    verbose = forge(*words, "--verbose")
    shutil.rmtree("new", ignore_errors=True)
    assert len(verbose) > len(forge(*words))


@pytest.mark.parametrize("command", REPEATABLE)
def test_of_both_quiet_decides(command: str, forge: Forge) -> None:
    words = TYPICAL[command]
    assert forge(*words, "-q", "-v") == forge(*words, "-q")


@pytest.mark.parametrize("command", COMMANDS)
def test_colour_where_it_is_asked_for(command: str, forge: Forge) -> None:
    assert "\x1b[" in forge(*TYPICAL[command], "--color", "always")


@pytest.mark.parametrize("command", COMMANDS)
def test_force_color_colours_what_is_no_terminal(
    command: str, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in forge(*TYPICAL[command])


@pytest.mark.parametrize("command", COMMANDS)
def test_no_color_goes_before_force_color(
    command: str, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in forge(*TYPICAL[command])


@pytest.mark.parametrize("command", REPEATABLE)
def test_colour_changes_nothing_else(command: str, forge: Forge) -> None:
    words = TYPICAL[command]
    coloured = forge(*words, "--color", "always")
    for code in ("0", "1", "2", "31", "32", "33", "36"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == forge(*words)


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option", ["--quiet", "--verbose", "--color=never"])
def test_ascii_only_where_it_is_asked_for(
    command: str, option: str, forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORGE_ASCII", "1")
    assert forge(*TYPICAL[command], option).isascii()


def test_ascii_is_the_same_text_with_escapes_for_foreign_characters(
    forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = forge("plan", "café.yaml")
    monkeypatch.setenv("FORGE_ASCII", "1")
    plain = drawn.translate(ASCII_TWINS).replace("é", "\\xe9").replace("ë", "\\xeb")
    assert forge("plan", "café.yaml") == plain


@pytest.mark.parametrize(
    "words",
    [
        ["plan", "café.yaml", "--format", "json"],
        ["runs", "--format", "json"],
        ["verify", "evidence", "--format", "json"],
        ["schema"],
    ],
)
def test_json_says_the_same_in_ascii(
    words: list[str], forge: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = forge(*words)
    monkeypatch.setenv("FORGE_ASCII", "1")
    plain = forge(*words)
    assert plain.isascii()
    assert [json.loads(text) for text in _documents(plain)] == [
        json.loads(text) for text in _documents(drawn)
    ]


def test_events_say_the_same_in_ascii(forge: Forge, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = forge("show", "first", "--format", "jsonl").splitlines()
    monkeypatch.setenv("FORGE_ASCII", "1")
    plain = forge("show", "first", "--format", "jsonl").splitlines()
    assert [*map(json.loads, plain)] == [*map(json.loads, drawn)]
    assert '"who":"Zo\\u00eb"' in plain[0]


def _documents(text: str) -> list[str]:
    """One document on many lines, or one on each line."""
    return [text] if text.startswith("{\n") else text.splitlines()


def test_init_quietly_says_nothing_and_writes_all_the_same(forge: Forge) -> None:
    assert forge("init", "new", "-q") == ""
    assert Path("new/hello.forge.yaml").is_file()


def test_init_at_length_shows_the_manifest(forge: Forge) -> None:
    shown = forge("init", "new", "-v")
    assert "\n\n  # yaml-language-server: " in shown
    assert '\n      run: [echo, "hello ${inputs.who}"]\n' in shown


def test_a_plan_quietly_is_silent_where_nothing_is_missing(forge: Forge) -> None:
    assert forge("plan", "café.yaml", "-q") == ""


def test_a_plan_quietly_names_what_is_missing_or_refused(forge: Forge) -> None:
    Path("lacking.yaml").write_text(
        "forge: 1\ninputs: {issue: {}}\nsecrets: [NO_SUCH_TOKEN]\nwork_items:\n"
        "  a: {run: [no-such-program], capabilities: [], review: {of: [], quorum: 1}}\n"
    )
    told = forge("plan", "lacking.yaml", "-q")
    assert told.splitlines()[:3] == [
        "missing  NO_SUCH_TOKEN not set",
        "missing  no-such-program",
        "missing  input issue not given",
    ]
    assert "\nrefused  item 'a' says 'review'" in told


ROLES = """forge: 1
roles:
  able: {capabilities: [read, write], handler: {kind: command, argv: [cat]}}
  r1: {capabilities: [read], handler: {kind: command, argv: [cat]}}
  r2: {capabilities: [read], handler: {kind: command, argv: [cat]}}
  r3: {capabilities: [read], handler: {kind: command, argv: [cat]}}
  r4: {capabilities: [read], handler: {kind: command, argv: [cat]}}
work_items:
  a: {capabilities: [write]}
"""


def test_a_plan_at_length_tells_what_each_other_role_lacks(forge: Forge) -> None:
    Path("roles.yaml").write_text(ROLES)
    shown = forge("plan", "roles.yaml")
    assert "1 more lack something (-v)" in shown
    assert "r4 lacks" not in shown
    assert "r4 lacks capability write" in forge("plan", "roles.yaml", "-v")


def test_a_plan_at_length_has_the_whole_digest(forge: Forge) -> None:
    whole = json.loads(forge("plan", "café.yaml", "--format", "json"))["plan"]["digest"]
    assert f"plan {whole}" in forge("plan", "café.yaml", "-v")


def test_a_run_quietly_is_its_verdict(forge: Forge) -> None:
    assert forge("run", "café.yaml", "-q").startswith("COMPLETE  1 of 1 item accepted")


def test_a_run_at_length_tells_what_each_turn_was_given(forge: Forge) -> None:
    shown = forge("run", "café.yaml", "-v")
    assert "  0:00  greet     started    its own program may: nothing\n" in shown
    assert "given argv: printf 'hello Zoë" in shown


def test_a_dry_run_is_as_quiet_as_a_plan(forge: Forge) -> None:
    assert forge("run", "café.yaml", "--dry-run", "-q") == ""


def test_events_as_lines_at_length_leave_the_progress_on_standard_error(
    forge: Forge, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["run", "café.yaml", "--format", "jsonl", "-v"])
    printed = capsys.readouterr()
    assert all(json.loads(line) for line in printed.out.splitlines())
    assert "greet     started" in printed.err


def test_runs_quietly_are_their_ids(forge: Forge) -> None:
    assert sorted(forge("runs", "-q").splitlines()) == ["first", "held", "second"]


def test_runs_at_length_have_plan_ledger_and_evidence(forge: Forge) -> None:
    shown = forge("runs", "-v")
    assert "\n  plan      sha256:" in shown
    assert "\n  ledger    .forge/runs/first/ledger.db\n" in shown
    assert "\n  evidence  evidence/cafe/first\n" in shown


def test_a_run_shown_quietly_is_its_verdict(forge: Forge) -> None:
    assert forge("show", "first", "-q").startswith("COMPLETE  1 of 1 item accepted")


def test_a_run_followed_quietly_is_its_verdict(forge: Forge) -> None:
    assert forge("show", "first", "--follow", "-q") == forge("show", "first", "-q")


def test_a_run_shown_at_length_has_the_lines_of_its_turns(forge: Forge) -> None:
    assert "greet     started    its own program" in forge("show", "first", "-v")


def test_an_item_shown_quietly_is_how_it_ended(forge: Forge) -> None:
    assert forge("show", "first", "greet", "-q") == "greet  accepted\n"


def test_an_item_shown_at_length_has_its_values_in_full(forge: Forge) -> None:
    assert "           12\n" not in forge("show", "first", "greet")
    assert "          12\n" in forge("show", "first", "greet", "-v")


def test_verify_at_length_has_every_check_of_many_runs(forge: Forge) -> None:
    assert "  ok  " not in forge("verify", "evidence")
    assert forge("verify", "evidence", "-v").count("\n  ok  ") == 3 * 13


def test_a_word_explained_quietly_is_a_sentence(forge: Forge) -> None:
    assert forge("explain", "depends_on", "-q") == (
        "depends_on: Items that must be accepted before.\n"
    )


def test_a_word_explained_at_length_leads_to_others(forge: Forge) -> None:
    assert forge("explain", "3", "-v").endswith("\n\nsee also: degraded\n")
    assert "see also: scope, writes" in forge("explain", "scope-exceeds-parent", "-v")


def test_the_schema_quietly_is_one_line_that_says_the_same(forge: Forge) -> None:
    quiet = forge("schema", "-q")
    assert quiet.count("\n") == 1
    assert json.loads(quiet) == json.loads(forge("schema"))


def test_the_schema_at_length_says_where_it_belongs_and_stays_json(
    forge: Forge, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["schema", "-v"])
    printed = capsys.readouterr()
    assert json.loads(printed.out)["title"] == "Manifest"
    assert "# yaml-language-server: $schema=.forge/manifest.schema.json" in printed.err
