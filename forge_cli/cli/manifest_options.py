"""What the commands that compile one manifest take, declared once."""

from typing import TYPE_CHECKING

from forge_cli.cli.arguments import Argument, Option

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = Argument("manifest", "MANIFEST", "Its file; else the only *.forge.yaml here.")


def moment(text: str) -> int:
    """A time with an offset, in milliseconds since the epoch; `ValueError` for anything else."""
    from forge_cli.multiagent.times import from_text

    try:
        return from_text(text)
    except ValueError:
        raise ValueError(
            f"'{text}' is not a time with an offset; write  2026-11-30T14:00:00Z"
        ) from None


def path(text: str) -> "Path":
    """The path; its class is imported late, since `validate` does without."""
    from pathlib import Path

    return Path(text)


INPUT = Option(("--input", "-i"), "An input of the run.", (), "KEY=VALUE", many=True)
INPUTS = Option(("--inputs",), "Inputs as one JSON object.", None, "FILE", path)
NOW = Option(("--now",), "The time that deadlines are compared with.", None, "TIME", moment)
WORKSPACE = Option(
    ("--workspace",), "What scopes are relative to; else the git root.", None, "DIR", path
)
