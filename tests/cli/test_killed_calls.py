"""`kill -9` between the call of a tool that changes something and its answer."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.field_reports.processes import Forge, until
from tests.handlers.model_server import ModelServer, Reply, serving, text, tool

SERVER = '''"""An MCP server that notes a payment, and never answers the first call."""

import json
import sys
import time
from pathlib import Path

PAID = Path("books/paid.txt")
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}


def called():
    with PAID.open("a") as file:
        file.write("paid\\n")
    if PAID.read_text().count("paid") == 1:
        time.sleep(600)
    return {"content": [{"type": "text", "text": "paid twice"}]}


def answered(method, params):
    if method == "initialize":
        who = {"name": "bank", "version": "1"}
        version = params["protocolVersion"]
        return {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": who}
    if method == "tools/list":
        return {"tools": [{"name": "pay", "description": "Pay.", "inputSchema": SCHEMA}]}
    return called() if method == "tools/call" else None


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = answered(message["method"], message.get("params"))
        unknown = {"error": {"code": -32601, "message": "unknown method"}}
        said = unknown if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}), flush=True)
'''
TOOLS = "[{tool: pay, capability: pay, scope_args: [path]}]"
HEAD = """forge: 1
scope: [files:books/**]
budget: {model_calls: 5, tool_calls: 5}
capabilities: {pay: [file-read, file-write]}
"""
AGENT = """roles:
  payer:
    capabilities: [pay]
    handler:
      kind: agent
      model: scripted
      base_url: "{url}"
      servers: {{bank: {{argv: ["{python}", bank.py], tools: {tools}}}}}
work_items:
  pay: {{role: payer, goal: Pay}}
  tell: {{run: [echo, "${{items.pay.outputs.result}}"], capabilities: []}}
"""
TOOL = """roles:
  payer:
    capabilities: [pay]
    handler: {{kind: mcp, server: {{argv: ["{python}", bank.py]}}, tools: {tools}}}
work_items:
  pay: {{role: payer, goal: Pay, with: {{path: books/paid.txt}}}}
  tell: {{run: [echo, "${{items.pay.outputs.result}}"], capabilities: []}}
"""


@dataclass(frozen=True, slots=True)
class Bank:
    """A folder in which something pays: what does it, the item that is its call, its model."""

    forge: Forge
    called: str
    model: ModelServer

    @property
    def paid(self) -> int:
        """How often it was paid."""
        return (self.forge.folder / "books/paid.txt").read_text("utf-8").count("paid")

    def items(self) -> dict[str, Any]:
        """What the evidence says of the items."""
        found: dict[str, Any] = self.forge.record()["items"]
        return found


def bank(folder: Path, manifest: str, called: str, model: ModelServer) -> Bank:
    """Lays a run out, starts it, and kills it once the server was called."""
    forge = Forge(folder)
    whole = manifest.format(url=model.url, python=sys.executable, tools=TOOLS)
    forge.write("m.forge.yaml", HEAD + whole)
    forge.write("bank.py", SERVER)
    forge.write("books/paid.txt", "")
    found = Bank(forge, called, model)
    with forge.start("run") as process:
        until(lambda: found.paid or process.poll() is not None)
        process.kill()
    assert process.returncode == -9
    return found


@pytest.fixture(params=["agent", "mcp"])
def killed(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Bank]:
    """A run that was killed between a call and its answer: an agent's, and an item's own."""

    def reply(body: dict[str, Any]) -> Reply:
        asked = body["messages"][-1]["role"] != "tool"
        return tool("bank__pay", path="books/paid.txt") if asked else text("It is paid.")

    with serving(reply) as model:
        if request.param == "agent":
            yield bank(tmp_path, AGENT, "pay.call-1-1", model)
        else:
            yield bank(tmp_path, TOOL, "pay", model)


def test_a_call_whose_fate_is_unknown_is_not_made_again(killed: Bank) -> None:
    asked = len(killed.model.asked)
    ended = killed.forge("resume")
    assert ended.code == 4, ended.err
    assert killed.paid == 1
    assert len(killed.model.asked) == asked
    items = killed.items()
    assert items[killed.called]["status"] == "indeterminate"
    assert items["tell"]["status"] == "waiting"
    assert killed.forge("verify").code == 0


def test_a_person_says_that_it_was_made(killed: Bank) -> None:
    killed.forge("resume")
    killed.forge.write("paid.json", '{"result": "I looked: it is paid."}')
    ended = killed.forge("resume", "--accept", killed.called, "paid.json")
    assert ended.code == 0, ended.out + ended.err
    assert killed.paid == 1
    told = "It is paid." if killed.called != "pay" else "I looked: it is paid."
    assert killed.items()["tell"]["output"] == {"result": told}
    assert killed.forge("verify").code == 0


def test_a_person_has_it_made_once_more(killed: Bank) -> None:
    killed.forge("resume")
    ended = killed.forge("resume", "--rerun", killed.called)
    assert ended.code == 0, ended.out + ended.err
    assert killed.paid == 2
    assert killed.items()[killed.called]["attempts"] == 2
    assert killed.forge("verify").code == 0
