"""Values that are too large to travel inline: where they stand, and what they are."""

import json
import re
from collections.abc import Mapping

from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.ports import Artifacts
from forge_cli.multiagent.values import is_artifact, noted


def opened(value: Json, artifacts: Artifacts) -> Json:
    """The value with what its references stand for; itself if it has none.

    `ForgeError` if an artifact is no longer there, or no longer what it was.
    """
    return _opened(value, artifacts) if any(noted(value)) else value


def opened_for(
    expression: str, context: Mapping[str, Json], artifacts: Artifacts
) -> Mapping[str, Json]:
    """The context of a condition with what it may look at opened.

    Of the state, which may be large, that is what the expression names.
    """
    items, state = opened(context["items"], artifacts), context["state"]
    words = {quoted or plain for quoted, plain in _NAME.findall(expression)}
    named = sorted(words & state.keys())
    large = {word: state[word] for word in named if any(noted(state[word]))}
    if large:
        state = {**state, **opened(large, artifacts)}
    return {**context, "items": items, "state": state}


_NAME = re.compile(r'"([^"]+)"|([A-Za-z0-9_-]+)')
"""What may be a name in JMESPath: quoted, or plain."""


def _opened(value: Json, artifacts: Artifacts) -> Json:
    if is_artifact(value):
        return json.loads(artifacts.get(value["artifact"]))
    if isinstance(value, dict):
        return {key: _opened(element, artifacts) for key, element in value.items()}
    if isinstance(value, list | tuple):
        return [_opened(element, artifacts) for element in value]
    return value
