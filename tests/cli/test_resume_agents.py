"""`forge resume` of a run whose agent was in the middle of its work."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main
from tests.handlers.model_server import Reply, serving, text, tool

MANIFEST = """forge: 1
roles:
  reader:
    capabilities: [repository-read]
    handler: {{kind: agent, model: m, base_url: "{url}"}}
work_items:
  read: {{role: reader, goal: Read it}}
"""


def test_a_request_that_was_answered_is_not_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    killed: list[subprocess.Popen[bytes]] = []

    def reply(body: dict[str, Any]) -> Reply:
        if len(server.asked) == 1:
            return tool("list_files")
        if len(server.asked) == 2:
            killed[0].kill()
        return text("fine")

    with serving(reply) as server:
        (tmp_path / "m.yaml").write_text(MANIFEST.format(url=server.url), "utf-8")
        environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        argv = [sys.executable, "-m", "forge_cli", "run", "m.yaml", "-q"]
        with subprocess.Popen(argv, env=environment) as run:
            killed.append(run)
        assert run.returncode == -9
        assert main(["resume"]) == 0
    first, second, third = [body["messages"] for body in server.asked]
    assert third == second
    assert len(second) == len(first) + 2
