"""A secret that hostile handlers of every kind give away is in nothing that forge says or keeps."""

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.cli.test_gateway import GREETING, call
from tests.cli.test_run_agents_together import calls
from tests.handlers.model_server import Reply, serving, text

ROOT = Path(__file__).parents[2]
DATA = ROOT / "tests" / "cli" / "data"
CORE = "Zqjx-41f7c2"
TOKEN = f'é "{CORE}/+?&'
LOOT = f"{TOKEN} {json.dumps(TOKEN)} {quote(TOKEN)} {base64.b64encode(TOKEN.encode()).decode()}"


def aligned(before: int) -> str:
    """What base64 makes of how `CORE` begins, behind so many other bytes."""
    encoded = base64.b64encode(b"." * before + CORE[:5].encode() + b"...").decode()
    return encoded[-(-before * 8 // 6) : (before + 5) * 8 // 6]


MARKS = [CORE[:5], *map(aligned, range(3))]
"""How the secret begins, which only base64 changes: half a secret is found as well."""

FUNCTIONS = (
    "keys",
    "raises",
    "dies",
    "fails",
    "counts",
    "notes",
    "writes",
    "nonsense",
    "asks",
    "posts",
)
SECRET = {"secrets": ["TOKEN"]}
CHANGING = ("asks", "writes", "preset", "agent")


def program(does: str) -> list[str]:
    return [sys.executable, "hostile.py", does]


def handlers(given: dict[str, Any], url: str) -> dict[str, dict[str, Any]]:
    """A handler of each kind for each way to give a secret away, by the name of its role."""

    def served(*tools: str) -> dict[str, Any]:
        return {
            "server": {"argv": [sys.executable, "hostile_server.py"], **given},
            "tools": [{"tool": tool, "capability": "look"} for tool in tools],
        }

    lent = served("look", "errs")
    model = {"kind": "agent", "base_url": url, "api_key": "MODEL_KEY", "max_turns": 5}
    return {
        **{name: {"kind": "function", "call": f"hostile.py:{name}"} for name in FUNCTIONS},
        "child": {"kind": "command", "argv": program("tells"), **given},
        "plugin": {"kind": "hostile", "does": "tells", **given},
        "program": {"kind": "command", "argv": program("nonsense"), **given},
        "plugin-raises": {"kind": "hostile", "does": "raises", **given},
        "preset": {"kind": "codex", **given},
        "mcp": {"kind": "mcp", **served("look")},
        "mcp-errs": {"kind": "mcp", **served("errs")},
        "mcp-dies": {"kind": "mcp", **served("dies")},
        "mcp-nonsense": {"kind": "mcp", **served("nonsense")},
        "agent": {
            **model,
            "model": "tells",
            "servers": {"loose": {**lent["server"], "tools": lent["tools"]}},
        },
        "agent-refuses": {**model, "model": "refuses"},
    }


def roles(given: dict[str, Any], url: str) -> dict[str, Any]:
    """The roles: some of them may change files and start programs, and one may delegate."""
    made = {
        name: {
            "handler": handler,
            "capabilities": ["look", "repository-write", "process"][: 3 if name in CHANGING else 1],
        }
        for name, handler in handlers(given, url).items()
    }
    made["asks"]["delegates"] = {"to": ["child"], "capabilities": [], "depth": 1}
    return made


def items(given: dict[str, Any], url: str) -> dict[str, Any]:
    """The items, of which none ends the run."""
    talk = {"role": "posts", "goal": "Talk", **given}
    work: dict[str, Any] = {
        "command": {"run": program("tells"), **given},
        "command-dies": {"run": program("dies"), **given},
        "command-nonsense": {"run": program("nonsense"), **given},
        "script": {"script": 'echo "$TOKEN"; echo "$TOKEN" >&2; exit 4', **given},
        "given": {"run": ["echo", "${inputs.word}"]},
        "board": {"pattern": "joint", "sub_tasks": {"a": talk, "b": talk}},
    }
    for item in work.values():
        item.update({} if "pattern" in item else {"capabilities": []})
    for name in handlers(given, url):
        work[name] = {"role": name, "goal": "Give it away", **(given if name in FUNCTIONS else {})}
        if name in CHANGING:
            work[name]["writes"] = [f"files:out/{name}/**"]
    work["asks"]["complexity"] = "high"
    work["undone"] = {
        "run": program("dies"),
        "capabilities": ["repository-write"],
        "writes": ["files:out/undone/**"],
        "compensate": {"run": program("tells")},
        **given,
    }
    for name, item in work.items():
        item["required"] = False
        item["on_failure"] = "compensate" if name == "undone" else "continue"
    return work


def manifest(given: dict[str, Any], url: str) -> str:
    """A manifest that hands the secret to each as `given` says."""
    document = {
        "forge": 1,
        "secrets": [*given.get("secrets", []), "MODEL_KEY"],
        "inputs": {"word": {"default": "none"}},
        "capabilities": {"look": ["file-read"]},
        "settings": {"dynamic_decomposition": True},
        "budget": {"model_calls": 40, "tool_calls": 80},
        "roles": roles(given, url),
        "work_items": items(given, url),
        "outputs": {"all": "${items.command.outputs.result}"},
    }
    return json.dumps(document, indent=1)


@dataclass(frozen=True)
class Folder:
    """A folder with the manifest, and commands of forge in it."""

    path: Path

    def forge(self, *words: str, **variables: str) -> str:
        """What a command prints."""
        said, complained = self.started(*words, **variables).communicate(timeout=100)
        return (said + complained).decode()

    def started(self, *words: str, **variables: str) -> subprocess.Popen[bytes]:
        """A command that goes on."""
        path = str(self.path)
        return subprocess.Popen(
            [sys.executable, "-m", "forge_cli", *words],
            cwd=self.path,
            env={
                **os.environ,
                "GITHUB_STEP_SUMMARY": f"{path}/summary",
                "TOKEN": TOKEN,
                "MODEL_KEY": "sk-of-the-model",
                "PATH": f"{path}/bin:{os.environ['PATH']}",
                "PYTHONPATH": f"{ROOT}:{path}/installed",
                **variables,
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def run(self, *options: str, **variables: str) -> str:
        """What a run prints, whose evidence is in `kept`."""
        return self.forge("run", "--evidence", "kept", "--run-id", "first", *options, **variables)

    def events(self) -> list[dict[str, Any]]:
        lines = (self.path / "kept" / "events.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line) for line in lines]


def says(body: dict[str, Any]) -> Reply:
    """What the model says: it calls tools with what it was told to keep to itself, and tells it."""
    if body["model"] == "refuses":
        return {"refusal": LOOT}
    if body["messages"][-1]["role"] != "user":
        return text(LOOT)
    path = {"path": LOOT}
    return calls(
        ("loose__look", path),
        ("loose__errs", path),
        (TOKEN, path),
        ("read_file", path),
        ("write_file", {"path": "out/agent/a", "content": LOOT}),
        ("run_command", {"argv": [*program("tells"), LOOT]}),
    )


Make = Callable[[dict[str, Any]], Folder]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Make]:
    """Makes a folder whose manifest hands the secret over as it is told."""

    def make(given: dict[str, Any]) -> Folder:
        path = tmp_path_factory.mktemp("hostile")
        for name in (*(f"out/{item}" for item in (*CHANGING, "undone")), "bin", "installed"):
            (path / name).mkdir(parents=True)
        for name in ("hostile.py", "hostile_server.py"):
            shutil.copy(DATA / name, path)
        shutil.copy(DATA / "hostile.py", path / "installed")
        info = path / "installed" / "acme_hostile-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-hostile\nVersion: 1.0\n")
        (info / "entry_points.txt").write_text("[forge.handlers]\nhostile = hostile:Hostile\n")
        codex = path / "bin" / "codex"
        codex.write_text(
            f"#!/bin/sh\ncat > /dev/null\nexec {sys.executable} hostile.py speaks_as_codex\n"
        )
        codex.chmod(0o755)
        (path / "m.forge.yaml").write_text(manifest(given, server.url), "utf-8")
        return Folder(path)

    with serving(says) as server:
        yield make


@pytest.fixture(scope="module")
def ran(make: Make) -> tuple[Folder, str]:
    """A run of them all, and what it printed."""
    folder = make(SECRET)
    options = ("-v", "-i", f"word={TOKEN}", "--record", "recording.json")
    return folder, folder.run(*options, GITHUB_ACTIONS="true")


def marks(text: str | bytes) -> list[str]:
    """The marks of the secret that are in it, also where lines are broken."""
    found = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    joined = "".join(found.split())
    return [mark for mark in MARKS if mark in found or mark in joined]


def leaking(folder: Folder) -> set[str]:
    """The items of which the evidence has the secret."""
    found = {event["item"] for event in folder.events() if marks(json.dumps(event["body"]))}
    kept = folder.path / "kept" / "items"
    files = [path for path in kept.rglob("*") if path.is_file() and marks(path.read_bytes())]
    return found | {path.relative_to(kept).parts[0] for path in files}


def test_what_is_no_secret_is_given_away_by_each_of_them(make: Make) -> None:
    folder = make({"env": {"TOKEN": TOKEN}})
    printed = folder.run("-i", f"word={TOKEN}")
    assert leaking(folder) >= items({}, "").keys() - {"board", "mcp-nonsense"}, printed
    assert marks(printed)


def test_it_is_in_nothing_that_a_run_prints(ran: tuple[Folder, str]) -> None:
    assert "evidence-head" in ran[1]
    assert not marks(ran[1])


def test_it_is_in_no_file_of_evidence_ledger_recording_and_summary(
    ran: tuple[Folder, str],
) -> None:
    path = ran[0].path
    files = [each for name in ("kept", ".forge") for each in (path / name).rglob("*")]
    files += [path / "recording.json", path / "summary"]
    found = {str(each): marks(each.read_bytes()) for each in files if each.is_file()}
    assert {path / "recording.json", path / "summary", path / "kept" / "run.json"} <= {*files}
    assert not {name: of for name, of in found.items() if of or marks(name)}


@pytest.mark.parametrize(
    "words",
    [
        ("show", "first"),
        ("show", "first", "-v", "--format", "jsonl"),
        ("runs", "--format", "json"),
        ("verify", "kept", "--format", "json"),
        ("run", "--mock", "recording.json", "-v"),
        ("resume", "first", "-v"),
    ],
)
def test_it_is_in_no_answer_about_the_run(ran: tuple[Folder, str], words: tuple[str, ...]) -> None:
    printed = ran[0].forge(*words)
    assert len(printed) > 100
    assert not marks(printed)


def test_it_is_in_nothing_that_is_shown_of_an_item(ran: tuple[Folder, str]) -> None:
    for item in ("asks", "agent", "mcp", "undone"):
        printed = ran[0].forge("show", "first", item, "-v")
        assert item in printed
        assert not marks(printed)


def test_it_is_in_no_event_that_is_printed(make: Make) -> None:
    printed = make(SECRET).run("--format", "jsonl", "-i", f"word={TOKEN}")
    assert "***" in printed
    assert not marks(printed)


def test_it_is_in_nothing_that_a_gateway_says_or_writes(ran: tuple[Folder, str]) -> None:
    gateway = ran[0].started("gateway", "m.forge.yaml", "mcp", "-v")
    assert gateway.stdin
    assert gateway.stdout
    told = b""
    for request in (
        *GREETING,
        {"id": 2, "method": "tools/list"},
        call(3, "look", path=LOOT),
        call(4, TOKEN),
        call(5, "read_file", path=LOOT),
        call(6, "look", path=LOOT, more=LOOT),
    ):
        gateway.stdin.write(json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n")
        gateway.stdin.flush()
        told += gateway.stdout.readline() if "id" in request else b""
    said, complained = gateway.communicate(timeout=60)
    (journal,) = (ran[0].path / ".forge" / "gateway").glob("*.jsonl")
    assert told.count(b"***") > 3
    assert b"***" in journal.read_bytes()
    lines = (told + said + complained + journal.read_bytes()).splitlines()
    assert not [line for line in lines if marks(line)]
