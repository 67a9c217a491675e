"""A server on loopback that speaks OpenAI's chat protocol and says what a script says."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = Mapping[str, Any] | bytes | int | threading.Event
"""A message of the model, a body as it is, a status of failure, or what it waits for for ever."""


class ModelServer(ThreadingHTTPServer):
    """`reply` maps a request to what is said; `asked` are requests, `keys` how they authorize."""

    daemon_threads = True

    def __init__(self, reply: Callable[[dict[str, Any]], Reply]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.reply = reply
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body)
        self.server.keys.append(self.headers["Authorization"])
        reply = self.server.reply(body)
        if isinstance(reply, threading.Event):
            reply.wait()
            return
        status = reply if isinstance(reply, int) else 200
        data = reply if isinstance(reply, bytes) else json.dumps(_envelope(reply)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        """Nothing is printed."""


def _envelope(reply: Mapping[str, Any] | int) -> dict[str, Any]:
    if isinstance(reply, int):
        return {"error": {"message": f"status {reply}", "type": "test"}}
    finish = "tool_calls" if "tool_calls" in reply else "stop"
    message = {"role": "assistant", "content": None, **reply}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    }


def text(content: str) -> dict[str, Any]:
    """A message of text."""
    return {"content": content}


def tool(name: str, **arguments: Any) -> dict[str, Any]:
    """A message that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "c1", "type": "function", "function": function}]}


@contextmanager
def serving(reply: Callable[[dict[str, Any]], Reply]) -> Iterator[ModelServer]:
    """A server that is there inside the block."""
    server = ModelServer(reply)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
