"""JSON files of the evidence: canonical values, one entry a line, the same bytes every time."""

import json
from collections.abc import Iterable, Iterator, Mapping

from forge_cli.canonical import canonical
from forge_cli.multiagent.plan import Json


def render(document: Mapping[str, Json]) -> Iterator[bytes]:
    """The file's bytes, in chunks: keys in order, each entry of a map or list on its own line.

    Entries are canonical JSON (RFC 8785), so a difference between two files is a list of lines, and
    a finding can name one.
    """
    yield b"{\n"
    for number, (key, value) in enumerate(sorted(document.items())):
        comma = ",\n" if number else ""
        yield f"{comma}{canonical(key)}: ".encode()
        if isinstance(value, dict) and value:
            rows = (f"  {canonical(k)}: {canonical(v)}" for k, v in sorted(value.items()))
            yield from _spread("{}", rows)
        elif isinstance(value, list) and value:
            yield from _spread("[]", (f"  {canonical(entry)}" for entry in value))
        else:
            yield canonical(value).encode()
    yield b"\n}\n"


def _spread(brackets: str, rows: Iterable[str]) -> Iterator[bytes]:
    separator = brackets[0] + "\n"
    for row in rows:
        yield (separator + row).encode()
        separator = ",\n"
    yield f"\n{brackets[1]}".encode()


def parse(data: bytes) -> dict[str, Json]:
    """The document that the bytes are; `ValueError` with a sentence if they are not one."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"it is not JSON: {fault}") from None
    if not isinstance(document, dict):
        raise ValueError("it is not a JSON object")
    return document


def difference(found: bytes, due: Iterable[bytes]) -> int | None:
    """The line of the first difference to what the file must be, or None if there is none."""
    position = line = 0
    for chunk in due:
        piece = found[position : position + len(chunk)]
        if piece != chunk:
            pairs = enumerate(zip(piece, chunk, strict=False))
            same = next((i for i, (a, b) in pairs if a != b), len(piece))
            return line + piece[:same].count(10) + 1
        position += len(chunk)
        line += chunk.count(10)
    return None if position == len(found) else line + 1
