"""The command `forge gateway`: MCP on standard input and output under one item's contract."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from forge_cli.ledger.lines import GENESIS, read

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "tests" / "gateway" / "data" / "tool_server.py"
MANIFEST = """\
forge: 1
secrets: [TOKEN]
inputs: {{behaviour: {{default: fine}}}}
capabilities: {{look: [file-read], change: [file-write]}}
roles:
  reader:
    capabilities: [look, change]
    scope: [files:docs/**]
    handler:
      kind: mcp
      server: {{argv: ["{python}", "{server}", "${{inputs.behaviour}}"], secrets: [TOKEN]}}
      tools:
        - {{tool: look, capability: look, scope_args: [path]}}
        - {{tool: change, capability: change, scope_args: [path]}}
work_items:
  read: {{role: reader, goal: "Read ${{inputs.behaviour}}", capabilities: [look], budget: {budget}}}
  each: {{role: reader, goal: Read, for_each: [a, b], capabilities: [look]}}
  push: {{role: reader, goal: Push, capabilities: [look], approval: required}}
  late: {{role: reader, goal: "${{items.read.outputs.result}}", capabilities: [look]}}
  brief: {{role: reader, goal: Read, capabilities: [look], timeout: 5s}}
  plain: {{run: [echo, hello], capabilities: [repository-read], scope: [files:docs/**]}}
"""
CLIENT = {"name": "agent", "version": "1"}
START = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": CLIENT}
GREETING: list[dict[str, Any]] = [
    {"id": 1, "method": "initialize", "params": START},
    {"method": "notifications/initialized"},
]
Calls = list[tuple[str, dict[str, Any]]]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A manifest, and a file within the scope of its items."""
    text = MANIFEST.format(python=sys.executable, server=SERVER, budget="{tool_calls: 2}")
    (tmp_path / "m.forge.yaml").write_text(text, "utf-8")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("hello\n", "utf-8")
    return tmp_path


def environment() -> dict[str, str]:
    level = {name: os.environ[name] for name in ("FORGE_SANDBOX",) if name in os.environ}
    return {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "TOKEN": "canary-41f7c2", **level}


@pytest.fixture
def talk(workspace: Path) -> Callable[..., tuple[list[str], list[tuple[bool, str]]]]:
    """Call tools through the gateway of an item: the tools it shows, and what calls came to."""

    def talk(
        item: str, calls: Calls, *options: str, mode: str = "auto"
    ) -> tuple[list[str], list[tuple[bool, str]]]:
        words = ["-m", "forge_cli", "gateway", "m.forge.yaml", item, "-q", *options]
        started = StdioServerParameters(
            command=sys.executable, args=words, env=environment(), cwd=workspace
        )

        async def main() -> tuple[list[str], list[tuple[bool, str]]]:
            async with Client(started, mode=mode, cache=None) as client:
                shown = [tool.name for tool in (await client.list_tools()).tools]
                told = []
                for name, arguments in calls:
                    result = await client.call_tool(name, arguments)
                    told.append((not result.is_error, json.loads(result.model_dump_json())))
                return shown, [(done, each["content"][0]["text"]) for done, each in told]

        return asyncio.run(asyncio.wait_for(main(), 60))

    return talk


def journal(workspace: Path) -> list[tuple[str, dict[str, Any]]]:
    """What the only journal says; its lines are whole and each names the one before."""
    (path,) = (workspace / ".forge" / "gateway").glob("*.jsonl")
    lines = [read(text) for text in path.read_text("utf-8").splitlines()]
    assert [line.seq for line in lines] == list(range(1, len(lines) + 1))
    assert [line.prev for line in lines] == [GENESIS, *(line.digest for line in lines[:-1])]
    return [(line.event.kind, dict(line.event.body)) for line in lines]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_only_what_the_item_grants_is_shown_and_called(talk: Callable[..., Any], mode: str) -> None:
    calls = [
        ("look", {"path": "docs/a.md"}),
        ("look", {"path": "m.forge.yaml"}),
        ("change", {"path": "docs/a.md"}),
        ("secret", {}),
        ("read_file", {"path": "docs/a.md"}),
    ]
    shown, told = talk("read", calls, mode=mode)
    assert shown == ["read_file", "list_files", "search_files", "look"]
    known = "the tools of its contract are read_file, list_files, search_files, look"
    assert told == [
        (True, 'look {"path": "docs/a.md"}'),
        (False, "path 'm.forge.yaml' is denied: its scope is files:docs/**"),
        (False, f"'change' is denied: {known}"),
        (False, f"'secret' is denied: {known}"),
        (True, "hello\n"),
    ]


def test_every_call_is_in_the_journal_with_the_digest_of_its_result(
    talk: Callable[..., Any], workspace: Path
) -> None:
    talk("read", [("look", {"path": "docs/a.md"}), ("look", {"path": "../x"})])
    (_, opening), *calls, (last, closing) = journal(workspace)
    assert (opening["role"], opening["scope"]) == ("reader@1", ["files:docs/**"])
    assert (opening["tool_calls"], last, closing) == (
        2,
        "gateway_closed",
        {"calls": 2, "paid": 1},
    )
    (asked, first), (_, answer), (_, second), (answered, denial) = calls
    assert (asked, answered) == ("tool_called", "tool_answered")
    assert first == {"call": 1, "tool": "look", "arguments": {"path": "docs/a.md"}}
    assert (answer["decision"], answer["result"][:7]) == ("done", "sha256:")
    assert second["arguments"] == {"path": "../x"}
    assert (denial["decision"], denial["paid"]) == ("denied", False)


def test_denied_calls_do_not_spend_and_those_beyond_the_budget_are_denied(
    talk: Callable[..., Any],
) -> None:
    look = ("look", {"path": "docs/a.md"})
    _, told = talk("read", [("look", {"path": "x"}), look, look, look])
    assert [done for done, _ in told] == [False, True, True, False]
    assert told[-1][1] == "it is denied: its budget of 2 tool calls is spent"


def test_an_item_without_a_server_has_the_files_that_it_may_read(
    talk: Callable[..., Any],
) -> None:
    shown, told = talk("plain", [("read_file", {"path": "m.forge.yaml"}), ("list_files", {})])
    assert shown == ["read_file", "list_files", "search_files"]
    assert told[0] == (False, "read 'm.forge.yaml' is denied: its scope is files:docs/**")
    assert told[1] == (True, "docs/a.md")


def test_secrets_are_in_neither_answers_nor_the_journal(
    talk: Callable[..., Any], workspace: Path
) -> None:
    _, told = talk("read", [("look", {"path": "docs/canary-41f7c2"})])
    assert told == [(True, 'look {"path": "docs/***"}')]
    assert "canary" not in str(journal(workspace))


@pytest.mark.usefixtures("unheld")
def test_a_server_that_does_not_answer_in_time_is_an_answer(talk: Callable[..., Any]) -> None:
    silent = ("--input", "behaviour=silent")
    look = ("look", {"path": "docs/a.md"})
    _, told = talk("brief", [look, look], *silent)
    assert told == [
        (False, "it did not answer within the time of its contract"),
        (False, "it is denied: the time of its contract is over"),
    ]


@pytest.mark.parametrize(
    ("item", "words"),
    [
        ("nothing", "has no item 'nothing'; it has 'read', 'each'"),
        ("each", "its elements come into being in a run"),
        ("push", "it needs an approval, which only a run asks for"),
        ("late", "${items.read.outputs.result} has a value in a run only"),
    ],
)
def test_an_item_that_only_a_run_can_do_has_no_gateway(
    workspace: Path, item: str, words: str
) -> None:
    ended = started(workspace, item, stdin=subprocess.DEVNULL)
    _, told = ended.communicate(timeout=60)
    assert (ended.returncode, words in told) == (2, True), told
    assert not (workspace / ".forge").exists()


def test_what_is_missing_is_refused(workspace: Path) -> None:
    manifest = workspace / "m.forge.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace(sys.executable, "no-such-program"))
    ended = started(workspace, "read", stdin=subprocess.DEVNULL, TOKEN="")
    _, told = ended.communicate(timeout=60)
    assert ended.returncode == 2
    assert "1 secret is not set: TOKEN; 1 program is missing: no-such-program" in told


def test_what_becomes_of_calls_is_said_if_it_is_asked_for(workspace: Path) -> None:
    ended = started(workspace, "plain", "-v", stdin=subprocess.PIPE)
    ask(ended, *GREETING, call(2, "read_file\x1b[2J"))
    assert ended.stdout is not None
    answers = [json.loads(ended.stdout.readline()) for _ in range(2)]
    assert answers[0]["result"]["protocolVersion"] == "2024-11-05"
    assert answers[1]["result"]["isError"]
    _, told = ended.communicate(timeout=60)
    assert "\x1b" not in told
    assert "[2J  denied  'read_file" in told


def test_a_manifest_with_faults_is_refused(workspace: Path) -> None:
    (workspace / "m.forge.yaml").write_text("forge: 1\nwork_item: {}\n", "utf-8")
    ended = started(workspace, "read", stdin=subprocess.DEVNULL)
    _, told = ended.communicate(timeout=60)
    assert (ended.returncode, "work_items" in told) == (2, True)


def test_a_line_that_is_no_message_is_answered_with_an_error(workspace: Path) -> None:
    asked = '"jsonrpc": "2.0", "method": "tools/call", "params"'
    lines = {
        "not json": (None, -32700),
        "[" * 5_000: (None, -32700),
        "[]": (None, -32600),
        f'{{"id": {{"a": 1}}, {asked}: {{}}}}': (None, -32600),
        f'{{"id": null, {asked}: {{}}}}': (None, -32600),
        f'{{"id": "\\ud800", {asked}: {{}}}}': (None, -32600),
        f'{{"id": "a", {asked}: []}}': ("a", -32600),
        f'{{"id": 9, {asked}: {{"name": "read_file", "arguments": {{"path": "docs/\\ud800"}}}}}}': (
            9,
            -32600,
        ),
    }
    ended = started(workspace, "plain", stdin=subprocess.PIPE)
    said, _ = ended.communicate("".join(f"{line}\n" for line in lines), timeout=60)
    answers = [json.loads(line) for line in said.splitlines()]
    assert [(each["id"], each["error"]["code"]) for each in answers] == [*lines.values()]


def test_it_ends_when_standard_input_does(workspace: Path) -> None:
    ended = started(workspace, "read", stdin=subprocess.DEVNULL)
    said, told = ended.communicate(timeout=60)
    assert (ended.returncode, said) == (0, "")
    tools, path = told.splitlines()
    assert tools == "gateway  read_file, list_files, search_files, look"
    assert path.startswith(f"journal  {workspace}/.forge/gateway/")
    assert [kind for kind, _ in journal(workspace)] == ["gateway_opened", "gateway_closed"]


def test_an_interruption_ends_it_and_its_journal(workspace: Path) -> None:
    ended = started(workspace, "read", stdin=subprocess.PIPE)
    assert ended.stderr is not None
    assert [ended.stderr.readline()[:7] for _ in range(2)] == ["gateway", "journal"]
    ended.send_signal(signal.SIGINT)
    _, told = ended.communicate(timeout=60)
    assert (ended.returncode, told) == (130, "")
    assert journal(workspace)[-1][0] == "gateway_closed"


def test_the_first_record_that_cannot_be_kept_ends_it(workspace: Path) -> None:
    ended = started(workspace, "plain", stdin=subprocess.PIPE)
    assert ended.stderr is not None
    told = [ended.stderr.readline() for _ in range(2)]
    path = Path(told[1].removeprefix("journal").strip())
    path.rename(path.with_suffix(".aside"))
    path.mkdir()
    ask(ended, *GREETING, call(2, "list_files"))
    assert ended.wait(60) == 2  # with its standard input still open
    _, said = ended.communicate()
    assert f"'{path}' cannot be written" in said


@pytest.mark.usefixtures("unheld")
def test_a_call_that_is_cancelled_has_an_answer_in_the_journal(workspace: Path) -> None:
    ended = started(workspace, "read", "--input", "behaviour=silent", stdin=subprocess.PIPE)
    ask(ended, *GREETING, call(2, "look", path="docs/a.md"))
    until = time.monotonic() + 60
    while not (workspace / "asked").exists():
        assert ended.poll() is None
        assert time.monotonic() < until
    ask(ended, {"method": "notifications/cancelled", "params": {"requestId": 2}})
    ended.communicate(timeout=60)
    *_, (kind, answer), (last, _) = journal(workspace)
    assert (kind, last) == ("tool_answered", "gateway_closed")
    assert answer == {
        "call": 1,
        "tool": "look",
        "decision": "failed",
        "failed": "it was cancelled before it answered",
        "paid": True,
    }


def test_a_list_that_takes_too_long_is_an_error(workspace: Path) -> None:
    ended = started(workspace, "brief", "--input", "behaviour=mute", stdin=subprocess.PIPE)
    ask(ended, *GREETING, {"id": 2, "method": "tools/list"})
    assert ended.stdout is not None
    answers = [json.loads(ended.stdout.readline()) for _ in range(2)]
    assert answers[1]["error"]["message"] == "the time of its contract is over"
    ended.communicate(timeout=60)


def test_a_server_ends_with_a_gateway_that_is_killed(workspace: Path) -> None:
    own = workspace / "own_server.py"
    own.write_text(SERVER.read_text("utf-8"), "utf-8")
    manifest = workspace / "m.forge.yaml"
    manifest.write_text(manifest.read_text("utf-8").replace(str(SERVER), str(own)), "utf-8")
    killed = started(workspace, "read", stdin=subprocess.PIPE)
    ask(killed, *GREETING, {"id": 2, "method": "tools/list"})
    assert killed.stdout is not None
    answers = [json.loads(killed.stdout.readline()) for _ in range(2)]
    assert "tools" in answers[1]["result"]
    assert running(str(own))
    killed.kill()
    killed.communicate(timeout=60)
    until = time.monotonic() + 30
    while running(str(own)):
        assert time.monotonic() < until


def running(argument: str) -> bool:
    """Whether a process has that among its arguments."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if argument.encode() in path.read_bytes():
                return True
    return False


def ask(gateway: subprocess.Popen[str], *requests: dict[str, Any]) -> None:
    assert gateway.stdin is not None
    for request in requests:
        gateway.stdin.write(json.dumps({"jsonrpc": "2.0", **request}) + "\n")
    gateway.stdin.flush()


def call(number: int, name: str, **arguments: str) -> dict[str, Any]:
    params = {"name": name, "arguments": arguments}
    return {"id": number, "method": "tools/call", "params": params}


def started(
    workspace: Path, item: str, *options: str, stdin: int, **variables: str
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "forge_cli", "gateway", "m.forge.yaml", item, *options],
        cwd=workspace,
        env=environment() | variables,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
