"""What follows a failure, in one form for all the ways to write it."""

from typing import Any

from forge_cli.manifest.compilation.items import policy
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.times import to_span


def on_failure(written: Any) -> Json:
    """The policy with all that it leaves to the language; a single attempt is no retry."""
    retry, then = policy(written)
    if retry is None or retry.max_attempts == 1:
        return then
    told: dict[str, Json] = {
        "max_attempts": retry.max_attempts,
        "backoff": to_span(retry.backoff),
        "factor": retry.factor / 1000,
        "max": None if retry.maximum is None else to_span(retry.maximum),
        "on": sorted(retry.on),
    }
    return {"retry": {k: v for k, v in told.items() if v is not None}, "then": then}
