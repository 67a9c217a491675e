"""A kind that nobody has may be misspelt, or that of a plug-in which is installed elsewhere."""

from collections.abc import Callable
from pathlib import Path

from forge_cli.manifest.check import check
from forge_cli.manifest.reading.source import parse

KNOWN = "agent, claude-code, codex, command, function, gemini-cli, mcp, opencode, qwen-code"


def test_installed_kinds_are_suggested_and_listed(install: Callable[..., Path]) -> None:
    install("acme", "rhyme = acme_rhyme:Rhyme", acme_rhyme="")
    text = """\
forge: 1
roles: {r: {capabilities: [], handler: {kind: rhymes}}}
work_items: {a: {role: r}}
"""
    (found,) = check(parse(text.encode()), "x.yaml")
    assert found.spot.note == "did you mean 'rhyme'?"
    assert found.hint.split("\n") == [
        "write  kind: rhyme",
        f"known here: {KNOWN}, rhyme",
        "a plug-in's kind is known where it is installed beside forge: forge plugins",
    ]
