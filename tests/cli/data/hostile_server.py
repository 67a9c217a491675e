"""An MCP server that gives its secret away: in what it lists, answers, prints and fails with."""

import json
import sys

from hostile import LOOT, TOKEN, prints

FAULT = {"code": -32000, "message": LOOT, "data": {TOKEN: LOOT}}


def tool(name):
    schema = {"type": "object", "properties": {"path": {"description": LOOT}}}
    return {"name": name, "title": LOOT, "description": LOOT, "inputSchema": schema}


def called(params):
    if params["name"] == "dies":
        prints()
        sys.exit(3)
    if params["name"] == "nonsense":
        return {"content": LOOT, "isError": TOKEN}
    content = [{"type": "text", "text": LOOT}]
    return {"content": content, "structuredContent": {TOKEN: LOOT}, "_meta": {TOKEN: LOOT}}


def answered(method, params):
    if method == "initialize":
        who = {"name": LOOT, "version": LOOT}
        version = params["protocolVersion"]
        able = {"tools": {}}
        return {
            "protocolVersion": version,
            "capabilities": able,
            "serverInfo": who,
            "instructions": LOOT,
        }
    if method == "tools/list":
        return {"tools": [tool("look"), tool("dies"), tool("errs"), tool("nonsense"), tool(TOKEN)]}
    return called(params) if method == "tools/call" and params["name"] != "errs" else None


print(LOOT, file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answered(message["method"], message.get("params") or {})
        answer = {"error": FAULT} if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
