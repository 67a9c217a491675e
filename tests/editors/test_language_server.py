"""The YAML language server completes and explains keys from the schema that `forge init` writes."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from forge_cli.app.init import init

pytestmark = pytest.mark.npm

MODELINE = "# yaml-language-server: $schema=.forge/manifest.schema.json\n"


class Server:
    """A language server over standard input and output, with a workspace of one folder."""

    def __init__(self, command: list[str], folder: Path) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe)
        self._folder = folder
        self._asked = 0
        hover = {"hover": {"contentFormat": ["markdown"]}}
        self.ask(
            "initialize", {"rootUri": folder.as_uri(), "capabilities": {"textDocument": hover}}
        )
        self._send({"method": "initialized", "params": {}})

    def open(self, text: str) -> dict[str, Any]:
        """Opens a manifest and gives what names it in requests: `|` in the text is the place."""
        before, _, after = text.partition("|")
        uri = (self._folder / "a.forge.yaml").as_uri()
        document = {"uri": uri, "languageId": "yaml", "version": 1, "text": before + after}
        self._send({"method": "textDocument/didOpen", "params": {"textDocument": document}})
        lines = before.split("\n")
        place = {"line": len(lines) - 1, "character": len(lines[-1])}
        return {"textDocument": {"uri": uri}, "position": place}

    def ask(self, method: str, params: Any) -> Any:
        """The server's answer; its own requests on the way get empty answers."""
        self._asked += 1
        self._send({"id": self._asked, "method": method, "params": params})
        while True:
            said = self._receive()
            if "method" not in said:
                return said["result"]
            if "id" in said:
                items = said["params"].get("items", [])
                self._send({"id": said["id"], "result": [None] * len(items)})

    def close(self) -> None:
        self.ask("shutdown", None)
        self._send({"method": "exit"})
        self._process.communicate()

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self._process.stdin.flush()

    def _receive(self) -> Any:
        assert self._process.stdout
        length = 0
        while header := self._process.stdout.readline().strip():
            name, _, value = header.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        return json.loads(self._process.stdout.read(length))


@pytest.fixture
def server(npm: Callable[..., Path], tmp_path: Path) -> Iterator[Server]:
    """The server, in a folder where `forge init` was typed."""
    init(tmp_path)
    modules = npm("yaml-language-server@1.25.0") / "node_modules"
    found = Server([str(modules / ".bin" / "yaml-language-server"), "--stdio"], tmp_path)
    yield found
    found.close()


def completed(server: Server, text: str) -> dict[str, str]:
    """What is offered at the place, with what it means."""
    answer = server.ask("textDocument/completion", server.open(MODELINE + text))
    return {each["label"]: each.get("documentation", "") for each in answer["items"]}


def hovered(server: Server, text: str) -> str:
    answer = server.ask("textDocument/hover", server.open(MODELINE + text))
    shown: str = answer["contents"]["value"]
    return shown


def test_keys_of_the_manifest_are_completed_with_their_meaning(server: Server) -> None:
    offered = completed(server, "forge: 1\n|\n")
    assert offered["state"] == "Values that items share."
    assert {"work_items", "roles", "delegations", "settings", "join"} <= set(offered)
    assert "forge" not in offered


def test_keys_of_an_item_are_completed_with_their_meaning(server: Server) -> None:
    offered = completed(server, "forge: 1\nwork_items:\n  a:\n    run: [x]\n    |\n")
    assert offered["depends_on"] == "Items that must be accepted before."
    assert {"capabilities", "timeout", "on_failure", "sub_tasks"} <= set(offered)
    assert "roles" not in offered


def test_keys_of_a_handler_are_those_of_its_kind(server: Server) -> None:
    handler = "forge: 1\nroles:\n  r:\n    handler:\n      kind: function\n      |\n"
    offered = completed(server, handler)
    assert offered["call"] == "File below the manifest's folder, and function."
    assert "argv" not in offered


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("work_items:\n  a:\n    risk: |\n", {"read_only", "reversible", "irreversible"}),
        ("settings:\n  evidence: |\n", {"full", "digests"}),
    ],
)
def test_values_are_completed(server: Server, text: str, values: set[str]) -> None:
    assert set(completed(server, text)) == values


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "work_items:\n  a:\n    time|out: 5m\n",
            ["timeout", "The most that one attempt may take; 1h if absent.", "15m"],
        ),
        (
            "settings: {max_|concurrency: 3}\n",
            ["max", "Turns at a time; 4 if absent.", "Example:"],
        ),
    ],
)
def test_a_key_under_the_pointer_is_explained(server: Server, text: str, told: list[str]) -> None:
    shown = hovered(server, text)
    assert [word for word in told if word not in shown] == []
