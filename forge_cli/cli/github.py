"""What GitHub Actions shows of a run: annotations beside the manifest, and the job's summary."""

from collections.abc import Sequence

from forge_cli.cli.actions import workflow_command
from forge_cli.cli.board import Ending
from forge_cli.cli.terminal import Terminal
from forge_cli.cli.words import LOUD
from forge_cli.multiagent.denials import KIND


def annotation(
    item_id: str, required: bool, ending: Ending, manifest: str, terminal: Terminal, line: int = 0
) -> str:
    """The workflow command for an item that did not go well; empty for every other.

    It is beside the `line` of the manifest that refused what the item was denied, if so.

    An error where a required item failed, a warning where it was optional or waits for a person.
    """
    status = ending.status
    if status not in LOUD:
        return ""
    level = "error" if required and status in ("failed", "denied") else "warning"
    word = ending.kind if status == "paused" and ending.kind == KIND else status
    place: dict[str, str | int] = {"file": manifest, "line": line, "title": f"{word}: {item_id}"}
    return workflow_command(level, ending.reason or status, terminal, **place)


def job_summary(table: Sequence[str], verdict: Sequence[str]) -> str:
    """Table and verdict as Markdown; a fence long enough that nothing in them can end it."""
    text = "\n".join([*table, "", *verdict])
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}\n"
