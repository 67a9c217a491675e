"""What GitHub Actions shows of a run: annotations beside the manifest, and the job's summary."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from forge_cli.cli.board import Ending
from forge_cli.cli.terminal import Terminal
from forge_cli.cli.words import LOUD
from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Json

_IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def annotation(
    item_id: str, required: bool, ending: Ending, manifest: str, terminal: Terminal
) -> str:
    """The workflow command for an item that did not go well; empty for every other.

    An error where a required item failed, a warning where it was optional or waits for a person.
    """
    status = ending.status
    if status not in LOUD:
        return ""
    level = "error" if required and status in ("failed", "denied") else "warning"
    title = f"{status}: {item_id}".translate(_IN_PROPERTY)
    place = f"file={manifest.translate(_IN_PROPERTY)}," if manifest else ""
    text = terminal.safe(ending.reason or status).translate(_IN_TEXT)
    return f"::{level} {place}title={title}::{text}"


def add_to_summary(environ: Mapping[str, str], text: str) -> None:
    """Append to the job's summary, where there is one; one that cannot be written is left out."""
    path = environ.get("GITHUB_STEP_SUMMARY")
    if path:
        with suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


def add_outputs(environ: Mapping[str, str], outputs: Mapping[str, Json]) -> None:
    """Hand the run's outputs to the job's later steps: text as it is, anything else as JSON.

    `ForgeError` if the file cannot be written: a later step would go on with nothing.
    """
    path = environ.get("GITHUB_OUTPUT")
    if not path or not outputs:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(_assignment(key, value) for key, value in outputs.items())
    except OSError as fault:
        raise ForgeError(f"GITHUB_OUTPUT '{path}' cannot be written: {fault.strerror}") from None


def _assignment(key: str, value: Json) -> str:
    """`key<<end`, the value's lines and an end that none of them is."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    end = "end-of-output"
    while end in text:
        end += "-"
    return f"{key}<<{end}\n{text}\n{end}\n"


def job_summary(table: Sequence[str], verdict: Sequence[str]) -> str:
    """Table and verdict as Markdown; a fence long enough that nothing in them can end it."""
    text = "\n".join([*table, "", *verdict])
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}\n"
