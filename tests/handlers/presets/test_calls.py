"""What programs of presets are asked to do, and to leave."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from forge_cli.handlers.presets import FACTS, PRESETS, preset
from forge_cli.multiagent.plan import Handler
from forge_cli.multiagent.turn import TurnResult

Call = Callable[..., TurnResult]
ACTIONS = {"file-read", "file-write", "process", "network"}
VERDICT = {
    "type": "object",
    "properties": {"verdict": {"type": "string"}},
    "required": ["verdict"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("kind", PRESETS)
def test_the_prompt_is_standard_input(kind: str, call: Call, tmp_path: Path) -> None:
    call(kind, purpose="Judge src", inputs={"change": "c1"}, outputs=("verdict", "reasons"))
    asked = (tmp_path / "asked").read_text()
    assert asked.startswith('Judge src\n\nInputs:\n{\n  "change": "c1"\n}')
    assert 'one JSON object with the keys "verdict", "reasons" and nothing else' in asked


@pytest.mark.parametrize(
    ("kind", "actions", "tokens"),
    [
        ("claude-code", [], "--permission-mode dontAsk --tools "),
        (
            "claude-code",
            ["file-read"],
            "dontAsk --tools Read,Glob,Grep --allowed-tools Read,Glob,Grep",
        ),
        ("claude-code", ["process"], "dontAsk --tools Bash --allowed-tools Bash"),
        ("codex", [], "-s read-only"),
        ("codex", ["file-read", "process", "network"], "-s read-only"),
        ("codex", ["file-read", "file-write"], "-s workspace-write"),
        (
            "codex",
            ["file-write", "network"],
            "-s workspace-write -c sandbox_workspace_write.network_access=true",
        ),
        ("gemini-cli", ["file-read"], "--approval-mode default"),
        ("gemini-cli", ["file-write"], "--approval-mode auto_edit"),
        ("gemini-cli", ["process"], "--approval-mode default --allowed-tools run_shell_command"),
        ("qwen-code", [], "--core-tools "),
        (
            "qwen-code",
            ["file-write"],
            "--core-tools edit,write_file --allowed-tools edit,write_file",
        ),
        ("qwen-code", ["network"], "--core-tools web_fetch --allowed-tools web_fetch"),
    ],
)
def test_it_is_asked_to_keep_to_what_the_item_grants(
    kind: str, actions: list[str], tokens: str, call: Call, argv: Callable[[], list[str]]
) -> None:
    call(kind, actions=frozenset(actions))
    assert " ".join(argv()).endswith(tokens)


READS = {"read": "allow", "glob": "allow", "grep": "allow", "list": "allow"}


@pytest.mark.parametrize(
    ("actions", "allowed"),
    [
        ([], {}),
        (["file-read"], READS),
        (["file-read", "file-write"], READS | {"edit": "allow"}),
        (["process"], {"bash": "allow"}),
        (["network"], {"webfetch": "allow", "websearch": "allow"}),
    ],
)
def test_opencode_is_told_in_a_variable_what_the_item_grants(
    actions: list[str],
    allowed: dict[str, str],
    call: Call,
    environment: Callable[[], dict[str, str]],
) -> None:
    call("opencode", actions=frozenset(actions))
    assert json.loads(environment()["OPENCODE_PERMISSION"]) == {"*": "deny"} | allowed


def test_opencode_finds_no_configuration_in_which_servers_are(
    call: Call, environment: Callable[[], dict[str, str]], tmp_path: Path
) -> None:
    call("opencode")
    found = environment()
    assert found["OPENCODE_DISABLE_PROJECT_CONFIG"] == "1"
    assert Path(found["XDG_CONFIG_HOME"]).is_relative_to(found["TMPDIR"])


def test_what_the_handler_says_of_a_variable_holds(
    call: Call, environment: Callable[[], dict[str, str]]
) -> None:
    call("opencode", written={"env": {"OPENCODE_PERMISSION": "{}"}})
    assert environment()["OPENCODE_PERMISSION"] == "{}"


def test_codex_does_not_read_the_configuration_in_which_servers_are(
    call: Call, argv: Callable[[], list[str]]
) -> None:
    call("codex", actions=frozenset(ACTIONS))
    assert "--ignore-user-config" in argv()


@pytest.mark.parametrize("kind", ["gemini-cli", "qwen-code"])
def test_servers_of_the_user_are_not_among_those_that_may_start(
    kind: str, call: Call, argv: Callable[[], list[str]]
) -> None:
    call(kind, actions=frozenset(ACTIONS))
    assert argv()[argv().index("--allowed-mcp-server-names") + 1] == "forge-allows-none"


@pytest.mark.parametrize("kind", PRESETS)
def test_the_model_is_the_one_that_the_handler_names(
    kind: str, call: Call, argv: Callable[[], list[str]]
) -> None:
    call(kind, written={"model": "m-1"})
    assert argv()[-1] == "m-1"


def test_a_model_is_never_an_option(call: Call) -> None:
    result = call("codex", written={"model": "--yolo"})
    assert result.message == "the model '--yolo' begins with '-'; name a model"


@pytest.mark.parametrize("kind", ["claude-code", "qwen-code"])
def test_a_schema_is_handed_over(kind: str, call: Call, argv: Callable[[], list[str]]) -> None:
    call(kind, completion=VERDICT)
    assert json.loads(argv()[argv().index("--json-schema") + 1]) == VERDICT
    call(kind, outputs=("a", "b"))
    assert json.loads(argv()[argv().index("--json-schema") + 1])["required"] == ["a", "b"]


def test_codex_reads_a_schema_that_its_service_takes_from_a_file(
    call: Call, argv: Callable[[], list[str]]
) -> None:
    call("codex", completion=VERDICT)
    assert argv()[-2] == "--output-schema"
    assert not Path(argv()[-1]).exists()
    call("codex", completion={**VERDICT, "additionalProperties": True})
    assert "--output-schema" not in argv()


def test_what_may_be_used_is_handed_over_where_it_is_limited(
    call: Call, argv: Callable[[], list[str]]
) -> None:
    call("claude-code", budget={"cost_usd": 1_500_000, "model_calls": 7})
    assert argv()[-2:] == ["--max-budget-usd", "1.500000"]
    call("qwen-code", budget={"cost_usd": 1_500_000, "model_calls": 7})
    assert argv()[-2:] == ["--max-session-turns", "7"]


@pytest.mark.parametrize("kind", PRESETS)
def test_options_depend_on_what_there_is(kind: str) -> None:
    for option in preset(kind)["options"]:
        assert {*option["when"], *option.get("unless", ())} <= ACTIONS | {*FACTS}


@pytest.mark.parametrize("kind", PRESETS)
def test_a_call_may_use_all_that_is_left_or_what_the_handler_says(
    kind: str, compiled: Callable[..., Handler]
) -> None:
    found = compiled(kind)
    assert found.elastic
    assert found.max_usage is not None
    assert found.metered == {"model_calls", "cost_usd", "tokens"} == {*found.max_usage.limits()}
    less = compiled(kind, max_usage={"cost_usd": 2}).max_usage
    assert less == replace(found.max_usage, cost_usd=2_000_000)
