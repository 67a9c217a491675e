"""Servers that others wrote: what they answer becomes outputs, and the scope holds for them."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, cast

import pytest

from forge_cli.app.sandbox import LEVELS, look
from forge_cli.gateway.sandbox.boxes import Level, Sandbox
from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers import create
from forge_cli.handlers.context import HandlerContext
from forge_cli.multiagent.plan import Grant
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing import Kept, a_turn

Npm = Callable[..., Path]
Call = Callable[..., TurnResult]
SCOPE = ("files:docs/**",)
REPOSITORY = ("files:**", "files:.git/**")


@pytest.fixture(params=LEVELS)
def call(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Call]:
    """What the one tool answers in a workspace with a file within the scope and one beyond.

    With `off` nothing but the door holds the server.
    """
    works = look()
    if request.param not in (*works.names, "off"):
        pytest.skip(works.faults[request.param])
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/a.md").write_text("hello\n", "utf-8")
    (tmp_path / "b.md").write_text("beyond\n", "utf-8")
    context = HandlerContext(
        workspace=tmp_path,
        folder=tmp_path,
        artifacts=Kept(),
        redactor=Redactor({}),
        environment={"PATH": os.environ["PATH"]},
        sandbox=Sandbox(cast(Level, request.param), works.bwrap),
    )

    def called(
        server: list[str], tool: dict[str, Any], scope: tuple[str, ...] = SCOPE, **inputs: Any
    ) -> TurnResult:
        declared = {"capability": "work", "actions": ["file-read"], "scope_args": [], **tool}
        actions = frozenset(declared["actions"])
        writes = SCOPE if "file-write" in actions else ()
        grant = Grant(frozenset({"work"}), actions, scope, writes, ("content",))
        config = {"server": {"argv": server}, "tools": [declared]}
        turn = a_turn(handler_kind="mcp", handler=config, grant=grant, inputs=inputs)
        return asyncio.run(answered(replace(context, programs=frozenset(server)), turn))

    yield called
    context.processes.close()


async def answered(context: HandlerContext, turn: Turn) -> TurnResult:
    handler = create(["mcp"], context)["mcp"]
    try:
        return await handler.run(turn)
    finally:
        await handler.close()


def files(npm: Npm, package: str) -> list[str]:
    """The program of that version, which serves its working folder."""
    name = package.rpartition("@")[0]
    main = npm(package) / "node_modules" / name / "dist" / "index.js"
    return ["node", str(main), "."]


READ = {"tool": "read_text_file", "scope_args": ["path"]}
OLD = "@modelcontextprotocol/server-filesystem@2025.11.25"
NEW = "@modelcontextprotocol/server-filesystem@2026.8.31"


@pytest.mark.npm
@pytest.mark.parametrize("package", [OLD, NEW])
def test_a_file_within_the_scope_is_read(call: Call, npm: Npm, package: str) -> None:
    result = call(files(npm, package), READ, path="docs/a.md")
    assert (result.status, result.message) == ("done", "")
    assert result.output == {"content": "hello\n"}


@pytest.mark.npm
@pytest.mark.parametrize("path", ["b.md", "docs/../b.md", "/etc/passwd", "docs/link", "."])
def test_a_path_beyond_it_is_denied(call: Call, tmp_path: Path, npm: Npm, path: str) -> None:
    (tmp_path / "docs/link").symlink_to(tmp_path / "b.md")
    result = call(files(npm, NEW), READ, path=path)
    assert (result.status, result.usage) == ("failed", {"tool_calls": 0})
    assert "is denied" in result.message


@pytest.mark.npm
def test_one_path_beyond_it_denies_the_whole_list(call: Call, npm: Npm) -> None:
    several = {"tool": "read_multiple_files", "scope_args": ["paths"]}
    both = call(files(npm, NEW), several, paths=["docs/a.md", "b.md"])
    assert both.message == "paths 'b.md' is denied: its scope is files:docs/**"
    one = call(files(npm, NEW), several, paths=["docs/a.md"])
    assert one.output is not None
    assert "hello" in one.output["content"]


@pytest.mark.npm
def test_a_file_is_written_where_the_item_may_write(call: Call, tmp_path: Path, npm: Npm) -> None:
    write = {"tool": "write_file", "scope_args": ["path"], "actions": ["file-read", "file-write"]}
    server = files(npm, NEW)
    denied = call(server, write, path="b.md", content="changed")
    assert denied.message == "path 'b.md' is denied: its writes is files:docs/**"
    written = call(server, write, path="docs/new.md", content="new")
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
def test_a_repository_is_looked_at(call: Call, tmp_path: Path, git_server: list[str]) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    result = call(git_server, {"tool": "git_status"}, REPOSITORY, repo_path=".")
    assert result.output is not None, result.message
    assert "docs/" in result.output["content"]


@pytest.mark.index
def test_a_repository_with_git_in_it_is_beyond_a_scope_without(
    call: Call, tmp_path: Path, git_server: list[str]
) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    status = {"tool": "git_status", "scope_args": ["repo_path"]}
    result = call(git_server, status, repo_path=".")
    assert "repo_path '.' is denied: it reaches " in result.message
