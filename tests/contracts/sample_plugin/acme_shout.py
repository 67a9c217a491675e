"""A handler kind for forge that answers loudly."""

import asyncio
from typing import ClassVar

from forge_cli.multiagent.turn import Turn, TurnResult


class Shout:
    """Made once in each worker process; `settings` is what its handlers take in a manifest."""

    settings: ClassVar = {
        "type": "object",
        "properties": {
            "marks": {"type": "integer", "minimum": 0},
            "seconds": {"type": "integer"},
        },
        "additionalProperties": False,
    }

    async def run(self, turn: Turn) -> TurnResult:
        """One turn: the input `text` in capitals, after so many seconds, with so many marks."""
        settings = turn.handler["settings"]
        await asyncio.sleep(settings.get("seconds", 0))
        text = turn.inputs.get("text", "")
        if not text:
            return TurnResult.failed("error", "there is nothing to shout; write  with: {text: ...}")
        return TurnResult.done({"result": text.upper() + "!" * settings.get("marks", 1)})
