"""Servers that others wrote: what they answer becomes outputs, and the scope holds for them."""

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import TurnResult
from forge_cli.testing import a_turn, opened

Npm = Callable[..., Path]
SCOPE = ("files:docs/**",)


def call(workspace: Path, server: list[str], tool: dict[str, Any], **inputs: Any) -> TurnResult:
    """What the one tool answers in a workspace with a file within the scope and one beyond."""
    (workspace / "docs").mkdir(exist_ok=True)
    (workspace / "docs/a.md").write_text("hello\n", "utf-8")
    (workspace / "b.md").write_text("beyond\n", "utf-8")
    declared = {"capability": "work", "actions": ["file-read"], "scope_args": [], **tool}
    grant = Grant(frozenset({"work"}), scope=SCOPE, writes=SCOPE, outputs=("content",))
    config = {"server": {"argv": server}, "tools": [declared]}
    turn = a_turn(handler_kind="mcp", handler=config, grant=grant, inputs=inputs)

    async def main() -> TurnResult:
        async with opened("mcp", workspace) as bench:
            return await bench.run(turn)

    return asyncio.run(main())


def files(npm: Npm, package: str) -> list[str]:
    """The program of that version, which serves its working folder."""
    name = package.rpartition("@")[0]
    main = npm(package) / "node_modules" / name / "dist" / "index.js"
    return ["node", str(main), "."]


READ = {"tool": "read_text_file", "scope_args": ["path"]}
OLD = "@modelcontextprotocol/server-filesystem@2025.11.25"
NEW = "@modelcontextprotocol/server-filesystem@2026.8.31"


@pytest.mark.npm
@pytest.mark.parametrize(("package", "tool"), [(OLD, "read_text_file"), (NEW, "read_text_file")])
def test_a_file_within_the_scope_is_read(tmp_path: Path, npm: Npm, package: str, tool: str) -> None:
    result = call(tmp_path, files(npm, package), {**READ, "tool": tool}, path="docs/a.md")
    assert (result.status, result.message) == ("done", "")
    assert result.output == {"content": "hello\n"}


@pytest.mark.npm
@pytest.mark.parametrize("path", ["b.md", "docs/../b.md", "/etc/passwd", "docs/link", "."])
def test_a_path_beyond_it_is_denied(tmp_path: Path, npm: Npm, path: str) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/link").symlink_to(tmp_path / "b.md")
    result = call(tmp_path, files(npm, NEW), READ, path=path)
    assert (result.status, result.usage) == ("failed", {"tool_calls": 0})
    assert "is denied" in result.message


@pytest.mark.npm
def test_one_path_beyond_it_denies_the_whole_list(tmp_path: Path, npm: Npm) -> None:
    several = {"tool": "read_multiple_files", "scope_args": ["paths"]}
    both = call(tmp_path, files(npm, NEW), several, paths=["docs/a.md", "b.md"])
    assert both.message == "paths 'b.md' is denied: its scope is files:docs/**"
    one = call(tmp_path, files(npm, NEW), several, paths=["docs/a.md"])
    assert one.output is not None
    assert "hello" in one.output["content"]


@pytest.mark.npm
def test_a_file_is_written_where_the_item_may_write(tmp_path: Path, npm: Npm) -> None:
    write = {"tool": "write_file", "scope_args": ["path"], "actions": ["file-read", "file-write"]}
    server = files(npm, NEW)
    denied = call(tmp_path, server, write, path="b.md", content="changed")
    assert denied.message == "path 'b.md' is denied: its writes is files:docs/**"
    written = call(tmp_path, server, write, path="docs/new.md", content="new")
    assert written.status == "done", written.message
    assert (tmp_path / "docs/new.md").read_text("utf-8") == "new"
    assert (tmp_path / "b.md").read_text("utf-8") == "beyond\n"


@pytest.fixture
def git_server() -> list[str]:
    """mcp-server-git, for the repository that is its working folder."""
    try:
        version("mcp-server-git")
    except PackageNotFoundError:
        pytest.skip("mcp-server-git is not installed (pip install mcp-server-git)")
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    return [sys.executable, "-m", "mcp_server_git", "--repository", "."]


@pytest.mark.index
def test_a_repository_is_looked_at(tmp_path: Path, git_server: list[str]) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    result = call(tmp_path, git_server, {"tool": "git_status"}, repo_path=".")
    assert result.output is not None, result.message
    assert "docs/" in result.output["content"]


@pytest.mark.index
def test_a_repository_with_git_in_it_is_beyond_a_scope_without(
    tmp_path: Path, git_server: list[str]
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    status = {"tool": "git_status", "scope_args": ["repo_path"]}
    result = call(tmp_path, git_server, status, repo_path=".")
    assert "repo_path '.' is denied: it reaches " in result.message
