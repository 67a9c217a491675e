"""What a step of GitHub Actions reads: commands in what is printed, and files it hands over."""

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from forge_cli.cli.terminal import Terminal, in_actions
from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Json

_IN_TEXT = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_IN_PROPERTY = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})


def workflow_command(level: str, text: str, terminal: Terminal, **properties: str | int) -> str:
    """A command that makes an annotation; `level` is `error` or `warning`.

    Neither the text nor a property can end it, begin another or hide anything. Properties that are
    empty are left out.
    """
    given = ",".join(
        f"{name}={terminal.safe(str(value)).translate(_IN_PROPERTY)}"
        for name, value in properties.items()
        if value
    )
    lines = (terminal.safe(line).translate(_IN_TEXT) for line in text.split("\n"))
    return f"::{level} {given}::{'%0A'.join(lines)}"


def quoted(lines: Iterable[str], environ: Mapping[str, str] = os.environ) -> Iterable[str]:
    """The lines; in a step, none of them is taken for a command but the one that ends this.

    That one has a digest of the lines as its name, which none of them can know.
    """
    if not in_actions(environ):
        return lines
    text = list(lines)
    token = hashlib.sha256("\n".join(text).encode()).hexdigest()
    return [f"::stop-commands::{token}", *text, f"::{token}::"]


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
