"""Findings in files: where each report goes, and that nothing else is lost by it."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from forge_cli.cli.formats import Checked, load
from forge_cli.cli.terminal import Terminal
from forge_cli.errors import ForgeError
from forge_cli.ledger import durable

Wish = tuple[str, str]
"""A format, and the path of the file that is to have it."""


def check(wishes: Sequence[Wish], manifests: Sequence[str]) -> None:
    """`ForgeError` for a report that cannot be written there, or would replace what it must not."""
    taken = {os.path.realpath(path): "one of the manifests to check" for path in manifests}
    for _, path in wishes:
        place = _place(path)
        try:
            _check_place(path, place)
        except OSError as fault:
            raise durable.unwritable(Path(path), fault) from None
        if str(place) in taken:
            raise ForgeError(
                f"the report '{path}' would replace {taken[str(place)]}; name another file"
            )
        taken[str(place)] = "another report"


def save(wishes: Sequence[Wish], checked: Checked) -> Iterator[str]:
    """Write each file at once; a sentence for each that could not be."""
    for form, path in wishes:
        lines = load(form).write(checked, Terminal())
        try:
            durable.write(_place(path), (f"{line}\n".encode() for line in lines))
        except ForgeError as error:
            yield str(error)


def _place(path: str) -> Path:
    """What is replaced: where links lead to, not a link itself."""
    return Path(os.path.realpath(path))


def _check_place(path: str, place: Path) -> None:
    if not place.parent.is_dir():
        raise ForgeError(
            f"the report '{path}' cannot be written: there is no folder '{Path(path).parent}'; "
            "make it, or name another file"
        )
    if place.exists() and not place.is_file():
        raise ForgeError(
            f"the report '{path}' cannot be written: that is no file; name one, or a new one"
        )
