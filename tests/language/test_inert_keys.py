"""A key that would have no effect where it stands is an error there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Forge = Callable[..., tuple[int, str, str]]

ROLES = """
roles:
  silent: {capabilities: [], handler: {kind: command, argv: [date], stdin: none, result: text}}
  writer: {capabilities: [repository-write], handler: {kind: function, call: "w.py:w"}}
"""
PARTS = "pattern: parallel, sub_tasks: {a: {role: writer}, b: {run: ['true'], capabilities: []}}"


@pytest.mark.parametrize(
    ("item", "key"),
    [
        (f"{PARTS}, completion: s.json", "completion"),
        (f"{PARTS}, criteria: ['`true`']", "criteria"),
        (f"{PARTS}, evidence: [a]", "evidence"),
        ("pattern: joint, sub_tasks: {a: {role: writer, for_each: [1]}}", "for_each"),
        (
            "pattern: broadcast, channels: [c], sub_tasks: {a: {role: writer, for_each: [1]}}",
            "for_each",
        ),
        ("pattern: joint, sub_tasks: {a: {role: writer, posts: [x]}}", "posts"),
        ("pattern: parallel, sub_tasks: {a: {role: writer, listens: [x]}}", "listens"),
        ("pattern: parallel, rounds: 2, sub_tasks: {a: {role: writer}}", "rounds"),
        ("pattern: joint, channels: [x], sub_tasks: {a: {role: writer}}", "channels"),
        ("role: silent, with: {x: 1}", "with"),
        ("role: silent, context_package: 'context:c'", "context_package"),
        ("role: writer, for_each: [1, 2], max_parallel: 2", "max_parallel"),
        ("role: writer, on_failure: {retry: {max_attempts: 2, factor: 2}}", "factor"),
        ("role: writer, on_failure: {retry: {max_attempts: 2, max: 5s}}", "max"),
        ("role: writer, on_failure: {retry: {max_attempts: 1, backoff: 5s}}", "backoff"),
        ("role: writer, on_failure: {retry: {max_attempts: 1, on: [error]}}", "on"),
        ("run: ['true'], capabilities: [], with: {x: 1}", "with"),
        ("run: ['true'], capabilities: [], max_parallel: 2", "max_parallel"),
        ("run: ['true'], capabilities: [], writes: ['files:a']", "writes"),
        ("run: ['true'], capabilities: [], max_steps: 2", "max_steps"),
    ],
)
def test_it_is_told_by_name(forge: Forge, tmp_path: Path, item: str, key: str) -> None:
    summary = "{source: s, author: a, confidence: '1', text: t}"
    (tmp_path / "w.py").write_text("def w(turn):\n    return 1\n")
    (tmp_path / "s.json").write_text("{}")
    (tmp_path / "m.yaml").write_text(
        f"forge: 1\ncontext_packages: {{c: {{summary: {summary}}}}}\n{ROLES}\n"
        f"work_items:\n  one: {{{item}}}\n  two: {{role: silent}}\n"
    )
    code, out, _ = forge("validate", "--format", "concise", "m.yaml")
    errors: list[Any] = [line for line in out.splitlines() if " error: " in line]
    assert code == 1
    assert [f"'{key}'" in line and "[inert-key]" in line for line in errors] == [True]


def test_where_they_have_an_effect_the_same_keys_are_accepted(forge: Forge, tmp_path: Path) -> None:
    (tmp_path / "w.py").write_text("def w(turn):\n    return 1\n")
    (tmp_path / "m.yaml").write_text(
        f"""forge: 1
{ROLES.replace("stdin: none", "stdin: json")}
work_items:
  one: {{role: silent, with: {{x: 1}}}}
  two: {{role: writer, for_each: [a, b], max_parallel: 2, writes: ["files:${{each}}"]}}
  three:
    role: writer
    criteria: ["`true`"]
    evidence: [result]
    depends_on: [two]
    on_failure: {{retry: {{max_attempts: 2, backoff: 1s, factor: 2, max: 5s, on: [error]}}}}
"""
    )
    assert forge("validate", "m.yaml")[:2] == (0, "No findings in 1 file.\n")
