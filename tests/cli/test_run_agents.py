"""`forge run` with agents whose model is served on loopback."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main
from tests.handlers.model_server import ModelServer, Reply, serving, text, tool

MANIFEST = """forge: 1
secrets: [MODEL_KEY]
budget: {{model_calls: 5, cost_usd: 1}}
schemas:
  verdict@1: {{type: object, properties: {{verdict: {{enum: [approve, reject]}}}}}}
roles:
  reviewer:
    capabilities: [repository-read]
    outputs: [verdict]
    scope: [files:docs/**]
    handler:
      kind: agent
      model: scripted
      base_url: {url}
      api_key: MODEL_KEY
      instructions: You review documents.
      prices: {{input: 1, output: 2}}
      max_turns: 4
work_items:
  review: {{role: reviewer, goal: Judge docs/a.md, completion: "schema:verdict@1"}}
"""
KEY = "sk-canary-41f7c2"

Run = Callable[..., tuple[int, str, Path]]


@pytest.fixture
def said() -> list[Reply]:
    """What the model says, one after the other, the last one for ever."""
    return []


@pytest.fixture
def server(said: list[Reply]) -> Iterator[ModelServer]:
    def reply(body: dict[str, Any]) -> Reply:
        return said[min(len(opened.asked), len(said)) - 1]

    with serving(reply) as opened:
        yield opened


@pytest.fixture
def run(
    server: ModelServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Run:
    """`forge run` of the manifest: exit code, what is printed, the folder of the evidence."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODEL_KEY", KEY)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("The path is covered.", "utf-8")

    def run(*options: str, manifest: str = MANIFEST) -> tuple[int, str, Path]:
        (tmp_path / "m.yaml").write_text(manifest.format(url=server.url), "utf-8")
        code = main(["run", "m.yaml", "--evidence", "kept", *options])
        printed = capsys.readouterr()
        return code, printed.out + printed.err, tmp_path / "kept"

    return run


def ended(evidence: Path) -> list[dict[str, Any]]:
    lines = (evidence / "events.jsonl").read_text("utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    return [event["body"] for event in events if event["kind"] == "turn_ended"]


def test_an_agent_reads_and_gives_a_verdict(
    run: Run, said: list[Reply], server: ModelServer
) -> None:
    said += [tool("read_file", path="docs/a.md"), tool("final_result", verdict="approve")]
    code, printed, evidence = run()
    assert code == 0, printed
    first, last = ended(evidence)
    assert (first["status"], last["output"]) == ("yields", {"verdict": "approve"})
    assert first["usage"] == {"model_calls": 1, "tokens": 110, "cost_usd": 120, "tool_calls": 1}
    assert server.asked[1]["messages"][-1]["content"] == "The path is covered."
    assert server.keys == [f"Bearer {KEY}"] * 2


def test_the_key_is_nowhere(run: Run, said: list[Reply], tmp_path: Path) -> None:
    said.append(tool("final_result", verdict=KEY))
    _, printed, _ = run()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert KEY not in printed
    assert not [path for path in files if KEY.encode() in path.read_bytes()]


def test_a_model_that_never_ends_is_stopped(run: Run, said: list[Reply]) -> None:
    said.append(tool("list_files"))
    code, printed, evidence = run()
    assert (code, len(ended(evidence))) == (1, 4)
    assert "it was not done after 4 turns" in printed


def test_an_agent_stops_at_its_own_budget(run: Run, said: list[Reply], server: ModelServer) -> None:
    said.append(tool("list_files"))
    limited = MANIFEST.replace("goal: Judge", "budget: {{model_calls: 2}}, goal: Judge")
    code, printed, _ = run(manifest=limited)
    assert (code, len(server.asked)) == (1, 2)
    assert "it needs 1 model_calls, 0 are left" in printed


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (429, "the model did not answer: status_code: 429"),
        (500, "the model did not answer: status_code: 500"),
        (b"{", "the model did not answer: "),
        (b"<html>", "the model did not answer: "),
        ({"refusal": "No."}, "the model refused: No."),
        (text("x" * 10_000_000), "its answer has 10000000 bytes, at most 1048576 are taken"),
    ],
)
def test_what_the_service_does_is_an_outcome(
    run: Run, said: list[Reply], server: ModelServer, reply: Reply, words: str
) -> None:
    said.append(reply)
    code, printed, evidence = run()
    assert (code, len(server.asked)) == (1, 1)
    assert words in printed
    assert ended(evidence)[0]["usage"]["model_calls"] == 1


def test_a_model_without_a_price_is_refused_under_a_limit_of_cost(run: Run) -> None:
    code, printed, _ = run(manifest=MANIFEST.replace("prices: {{input: 1, output: 2}}", ""))
    assert code == 2
    assert "whose price is not known" in printed


def test_a_run_is_verified_and_can_be_shown(
    run: Run, said: list[Reply], capsys: pytest.CaptureFixture[str]
) -> None:
    said += [tool("read_file", path="docs/a.md"), tool("final_result", verdict="approve")]
    run()
    assert main(["verify", "kept"]) == 0
    assert main(["show", "--format", "jsonl"]) == 0
    assert '"added"' in capsys.readouterr().out


def test_a_dry_run_names_the_plan_that_the_run_then_has(run: Run, said: list[Reply]) -> None:
    priced = MANIFEST.replace("prices: {{input: 1, output: 2}}", "").replace("scripted", "gpt-5")
    priced = priced.replace("base_url: {url}", "")
    priced = priced.replace("model: gpt-5", 'model: "openai:gpt-5"')
    (title, *_) = run("--dry-run", manifest=priced)[1].splitlines()
    digest = title.split()[2]
    Path("none.json").write_text('{"format_version": 1, "results": []}', "utf-8")
    assert f"plan {digest}" in run("--mock", "none.json", manifest=priced)[1]


SERVED = """forge: 1
budget: {{{{model_calls: 5, tool_calls: 5}}}}
capabilities: {{{{change: [file-write], look: [file-read]}}}}
roles:
  keeper:
    capabilities: [change, look]
    outputs: [result]
    scope: [files:docs/**]
    handler:
      kind: agent
      model: scripted
      base_url: {{url}}
      max_turns: 4
      servers:
        small:
          argv: ["{python}", "{server}", fine]
          tools: [{{{{tool: change, capability: change, scope_args: [path]}}}}]
work_items:
  keep: {{{{role: keeper, goal: Change docs/a.md, capabilities: [{words}]}}}}
"""
SERVER = Path(__file__).parents[1] / "gateway" / "data" / "tool_server.py"


def served(words: str) -> str:
    """A manifest with an agent that has a server, and these capabilities."""
    return SERVED.format(python=sys.executable, server=SERVER, words=words)


def test_a_tool_of_a_server_that_changes_something_is_called_as_an_item_of_its_own(
    run: Run, said: list[Reply], server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    said += [tool("small__change", path="docs/a.md"), text("It is changed.")]
    code, printed, evidence = run(manifest=served("change"))
    assert code == 0, printed
    _, call, last = ended(evidence)
    assert call["output"] == {"result": 'change {"path": "docs/a.md"}'}
    assert call["usage"] == {"tool_calls": 1}
    assert last["output"] == {"result": "It is changed."}
    answer = json.loads(server.asked[1]["messages"][-1]["content"])
    assert answer == {"status": "succeeded", "output": call["output"]}
    assert main(["verify", str(evidence)]) == 0, capsys.readouterr()


@pytest.mark.parametrize(("words", "path"), [("look", "docs/a.md"), ("change", "src/a.py")])
def test_a_tool_of_a_server_that_is_denied_a_change_pauses_the_agent(
    run: Run, said: list[Reply], words: str, path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said.append(tool("small__change", path=path))
    code, printed, evidence = run(manifest=served(words))
    assert code == 4, printed
    assert "keep      DENIED" in printed
    assert main(["verify", str(evidence)]) == 0, capsys.readouterr()


def is_there(marker: str) -> bool:
    """Whether a process has that among its arguments."""
    return any(
        marker.encode() in path.read_bytes().split(b"\0")
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if path.exists()
    )


def test_the_server_of_an_agent_that_pauses_ends_while_others_go_on(
    run: Run, server: ModelServer, tmp_path: Path
) -> None:
    marker, asked, gone = str(tmp_path / "marker"), threading.Event(), list[bool]()

    def reply(body: dict[str, Any]) -> Reply:
        if body.get("tools"):
            assert is_there(marker)
            asked.set()
            return tool("small__change", path="src/a.py")
        asked.wait(30)
        until = time.monotonic() + 30
        while is_there(marker) and time.monotonic() < until:
            time.sleep(0.05)
        gone.append(not is_there(marker))
        return text("done")

    server.reply = reply
    other = "  waits: {{role: waiter, goal: Wait, budget: {{model_calls: 1, tool_calls: 0}}}}\n"
    waiter = """  waiter:
    capabilities: []
    outputs: [result]
    handler: {{kind: agent, model: scripted, base_url: {url}}}
work_items:
"""
    manifest = served("change").replace(", fine]", f", fine, '{marker}']")
    code, printed, _ = run(manifest=manifest.replace("work_items:\n", waiter) + other)
    assert (code, gone) == (4, [True]), printed
