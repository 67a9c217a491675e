"""What agents read: files, lists of them and lines in them, no more at a time than a turn bears."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from forge_cli.gateway.files import GrantedFiles, UnreadableError
from forge_cli.multiagent.plan import Json

LONGEST = 64 * 1024
"""Characters of one answer."""

PAGE = 2_000
"""Lines of a file in one answer, unless the call says how many."""

LISTED = 1_000
"""Files in one list."""

FOUND = 200
"""Lines that one search finds."""

LINE = 500
"""Characters of a line that a search shows."""

BINARY = 8_192
"""Bytes at the start of a file of which none is zero if it is text."""


async def read_file(files: GrantedFiles, arguments: Mapping[str, Json]) -> str:
    """The text of a file from `first_line` on, so many `lines`, and what was left out."""
    path, first = arguments["path"], arguments.get("first_line", 1)
    lines = _text(path, files.read(path)).split("\n")
    shown = lines[first - 1 : first - 1 + arguments.get("lines", PAGE)]
    text, last = "\n".join(shown), first - 1 + len(shown)
    if len(text) > LONGEST:
        text = text[:LONGEST]
        last = first - 1 + text.count("\n")
    if last < len(lines):
        text += f"\n(to line {last} of {len(lines)}; go on with first_line {last + 1})"
    return text


async def list_files(files: GrantedFiles, arguments: Mapping[str, Json]) -> str:
    """The paths of the files below `folder`, one a line."""
    names: list[str] = []
    for number, name in enumerate(files.walk(arguments.get("folder", ""))):
        if number == LISTED:
            names.append(f"(more than {LISTED} files; name a folder)")
            break
        names.append(name)
    return "\n".join(names) or "(no files)"


async def search_files(files: GrantedFiles, arguments: Mapping[str, Json]) -> str:
    """The lines below `folder` that hold `text`, as path:line:content."""
    found: list[str] = []
    for name in files.walk(arguments.get("folder", "")):
        await asyncio.sleep(0)  # so that the search can be stopped between two files
        try:
            lines = _text(name, files.read(name)).split("\n")
        except UnreadableError:
            continue
        found += (
            f"{name}:{number}:{line[:LINE]}"
            for number, line in enumerate(lines, start=1)
            if arguments["text"] in line
        )
        if len(found) > FOUND:
            return "\n".join([*found[:FOUND], f"(more than {FOUND} lines; search for less)"])
    return "\n".join(found) or "(no line holds it)"


READERS: Mapping[str, Callable[[GrantedFiles, Mapping[str, Json]], Awaitable[str]]] = {
    "read_file": read_file,
    "list_files": list_files,
    "search_files": search_files,
}
"""Who answers each tool that only reads."""


def _text(path: str, data: bytes) -> str:
    if b"\0" in data[:BINARY]:
        raise UnreadableError(f"{path!r} is no text file")
    return data.decode(errors="replace")
