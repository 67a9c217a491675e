"""A plug-in whose turns do what one of the behaviours does."""

import behaviours

from forge_cli.multiagent.turn import TurnResult

class Behaving:
    settings = {
        "type": "object",
        "properties": {"behaviour": {"type": "string"}},
        "required": ["behaviour"],
        "additionalProperties": False,
    }

    async def run(self, turn):
        return TurnResult.done(getattr(behaviours, turn.handler["settings"]["behaviour"])(turn))
