"""What an agent asked for or posted that was refused, in words."""

from collections.abc import Iterator

from forge_cli.multiagent.events import Event
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.posts import refused


def unheard(node: Node, event: Event) -> Iterator[str]:
    """A sentence for each request or post of an item that an event refuses; none for others."""
    body = event.body
    if event.kind == "request_denied":
        yield f"{body['tool'] or 'a request'}: {body['reason']}"
    elif event.kind == "turn_ended" and not _failed(body.get("status"), body.get("verdict")):
        yield from (f"a post: {reason}" for reason in refused(node, event))


def _failed(status: Json, verdict: Json) -> bool:
    """What a turn says that failed, or whose result was rejected, is no message at all."""
    rejected = isinstance(verdict, dict) and not verdict["accepted"]
    return status == "failed" or rejected
