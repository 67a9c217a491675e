"""What items and roles say for their handlers, and what a package hands over."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]

ENVIRONMENT = (
    "import os\ndef show(turn):\n    return {'result': [os.environ.get(k) for k in 'ABC']}\n"
)


def test_an_items_variables_and_secrets_go_beside_those_of_its_roles_program(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "not-for-print")
    ran = run(
        """
secrets: [TOKEN]
work_items:
  show: {role: teller, env: {B: "${run}", C: item}, secrets: [TOKEN]}
roles:
  teller:
    capabilities: []
    handler:
      kind: command
      argv: [sh, -c, 'echo "$A $B $C $${#TOKEN}"']
      result: text
      env: {A: role, C: role}
"""
    )
    assert ran.output("show") == {"result": "role r item 13"}


def test_an_items_variables_reach_a_function(run: Run) -> None:
    ran = run(
        """
work_items:
  one: {role: teller, env: {A: first}}
  two: {role: teller, env: {A: second}, depends_on: [one]}
roles:
  teller: {capabilities: [], handler: {kind: function, call: "show.py:show"}}
""",
        files={"show.py": ENVIRONMENT},
    )
    assert [ran.output(name)["result"][0] for name in ("one", "two")] == ["first", "second"]


def test_a_program_with_a_path_is_of_the_workspace(
    run: Run, forge: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "tool.sh").write_text("#!/bin/sh\necho here\n")
    (tmp_path / "tool.sh").chmod(0o755)
    (tmp_path / "deep").mkdir()
    manifest = "forge: 1\nwork_items:\n  use: {run: [./tool.sh], capabilities: []}\n"
    (tmp_path / "deep" / "m.yaml").write_text(manifest)
    assert "./tool.sh found" in forge("plan", "deep/m.yaml")[1]
    assert forge("run", "deep/m.yaml")[0] == 0


PACKAGE = """
context_packages:
  brief:
    summary:
      source: attempt-31
      author: agent:lead@2
      confidence: "0.8"
      unresolved_questions: [Is it covered?]
      artifacts: ["files:notes.md"]
      text: It changed.
    max_bytes: {limit}
work_items:
  read: {{role: reader, context_package: "context:brief"}}
roles:
  reader: {{capabilities: [], handler: {{kind: function, call: "read.py:read"}}}}
"""
READER = {
    "read.py": "def read(turn):\n    return {'result': turn.context}\n",
    "notes.md": "x" * 1000,
}


def test_a_package_reaches_its_turn_whole(run: Run) -> None:
    ran = run(PACKAGE.format(limit=2000), files=READER)
    assert ran.output("read")["result"]["summary"] == {
        "source": "attempt-31",
        "author": "agent:lead@2",
        "confidence": "0.8",
        "unresolved_questions": ["Is it covered?"],
        "artifacts": ["files:notes.md"],
        "text": "It changed.",
    }


def test_a_package_that_is_too_heavy_with_its_files_is_not_handed_over(run: Run) -> None:
    ran = run(PACKAGE.format(limit=1000), files=READER)
    assert ran.code == 2
    assert "'brief' weighs 1172 bytes with its files, and its max_bytes is 1000" in ran.said


def test_an_item_without_a_package_has_no_context(run: Run) -> None:
    text = PACKAGE.format(limit=2000).replace(', context_package: "context:brief"', "")
    assert run(text, files=READER).output("read") == {"result": None}
