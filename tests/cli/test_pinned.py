"""A server that changes its tools while a run is paused is found out when the run goes on."""

import json
import re
import sys
from pathlib import Path

import pytest

from forge_cli.__main__ import main

SERVER = Path(__file__).parents[1] / "gateway" / "data" / "tool_server.py"
MANIFEST = """forge: 1
name: pinned
roles:
  looker:
    capabilities: [look]
    handler:
      kind: mcp
      server: {{argv: {argv}, sandbox: off}}
      tools: [{{tool: look, capability: look}}]
capabilities: {{look: [file-read]}}
work_items:
  first: {{role: looker, outputs: [result]}}
  second: {{role: looker, outputs: [result], depends_on: [first], approval: required}}
"""


def test_what_a_tool_was_at_first_holds_for_who_goes_on_with_the_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    unheld: None,
) -> None:
    monkeypatch.chdir(tmp_path)
    argv = json.dumps([sys.executable, str(SERVER), "changes"])
    Path("pinned.forge.yaml").write_text(MANIFEST.format(argv=argv))
    assert main(["run", "--run-id", "r", "--evidence", "evidence"]) == 4
    assert Path("listed").exists()
    (digest,) = re.findall(r"--approve second@(\w+)", "".join(capsys.readouterr()))
    assert main(["resume", "r", "--approve", f"second@{digest}"]) == 1
    assert "the server describes it otherwise than at first" in "".join(capsys.readouterr())
