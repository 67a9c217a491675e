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


def check(wishes: Sequence[Wish]) -> None:
    """`ForgeError` for a report that cannot be written there, or would replace another."""
    taken = set[Path]()
    for _, path in wishes:
        place = _place(path)
        try:
            _check_place(path, place)
        except OSError as fault:
            raise durable.unwritable(Path(path), fault) from None
        if place in taken:
            raise ForgeError(f"the report '{path}' would replace another report; name another file")
        taken.add(place)


def save(wishes: Sequence[Wish], checked: Checked, manifests: Sequence[str]) -> Iterator[str]:
    """Write each file at once; a sentence for each that could not be.

    Of `manifests` and of what they include none is replaced.
    """
    kept = {_place(path) for path in (*manifests, *(each.path for each in checked.reports))}
    for form, path in wishes:
        if _place(path) in kept:
            yield f"the report '{path}' would replace a file that was checked; name another file"
            continue
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
