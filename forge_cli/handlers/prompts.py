"""A turn in words, for programs and models that read text."""

import json

from forge_cli.multiagent.turn import Turn


def prompt(turn: Turn) -> str:
    """The turn in words: its purpose, then what it is given and what it must give, as JSON."""
    parts = [turn.purpose]
    for title, value in (
        ("Inputs", dict(turn.inputs)),
        ("Context", turn.context),
        ("The result must satisfy this JSON Schema", turn.completion),
    ):
        if value:
            parts.append(f"{title}:\n{json.dumps(value, ensure_ascii=False, indent=2)}")
    return "\n\n".join(parts) + "\n"
