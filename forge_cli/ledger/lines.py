"""Event lines: an event as canonical text, chained to the one before by digests."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from json.encoder import encode_basestring
from typing import NamedTuple

from forge_cli.canonical import canonical
from forge_cli.multiagent.events import Event
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.times import from_text, to_text

GENESIS = "sha256:" + "0" * 64
"""What the first event names as the digest of the one before."""


class Line(NamedTuple):
    """An event as the ledger keeps it.

    `seq` counts from 1, `body` is canonical text, and `text` the canonical JSON (RFC 8785) of the
    whole, without a newline. `digest` is as kept, `due` what it must be.
    """

    seq: int
    event: Event
    body: str
    digest: str
    prev: str
    text: str
    due: str


def seal(events: Iterable[Event], seq: int, prev: str) -> Iterator[Line]:
    """The events as lines, the first of them number `seq` after a line with the digest `prev`.

    The digest is taken of the line without its key `digest`.
    """
    for number, event in enumerate(events, start=seq):
        line = join(event, canonical(event.body), number, prev)
        yield line
        prev = line.digest


def join(event: Event, body: str, seq: int, prev: str, digest: str | None = None) -> Line:
    """The line of these parts, with the digest that is given or else the one that is due."""
    head, tail = _parts(event, body, seq, prev)
    due = "sha256:" + hashlib.sha256((head + tail).encode()).hexdigest()
    digest = digest or due
    return Line(seq, event, body, digest, prev, f'{head},"digest":"{digest}"{tail}', due)


def read(text: str) -> Line:
    """The line that the text is; `ValueError` with a sentence if it is not exactly one.

    The text must be what forge itself would write for the event, byte for byte, and its digest
    the one that is due. Whether `seq` and `prev` are right is for who knows the line before.
    """
    fields = _fields(text)
    event = Event(
        from_text(fields["time"]), fields["kind"], fields["item"], fields["attempt"], fields["body"]
    )
    line = join(event, canonical(event.body), fields["seq"], fields["prev"], fields["digest"])
    if line.text != text:
        raise ValueError("it is not in canonical form (RFC 8785)")
    if line.due != line.digest:
        raise ValueError(
            f"the event was changed: its digest is {line.due}, the line says {line.digest}"
        )
    return line


def _fields(text: str) -> dict[str, Json]:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as fault:
        raise ValueError(f"it is not JSON: {fault}") from None
    if type(fields) is not dict or fields.keys() != _TYPES.keys():
        raise ValueError(f"it is not an object with exactly the keys {', '.join(_TYPES)}")
    for key, value in fields.items():
        if type(value) is not _TYPES[key]:
            raise ValueError(
                f"{key!r} is {json.dumps(value)[:40]}, which is not {_NAMES[_TYPES[key]]}"
            )
    return fields


_TYPES: dict[str, type] = {
    "attempt": str,
    "body": dict,
    "digest": str,
    "item": str,
    "kind": str,
    "prev": str,
    "seq": int,
    "time": str,
}
"""The keys of a line, in canonical order, and what their values are."""

_NAMES: dict[type, str] = {int: "a whole number", dict: "an object", str: "text"}


def _parts(event: Event, body: str, seq: int, prev: str) -> tuple[str, str]:
    # The keys in canonical order, cut where `digest` goes.
    head = f'{{"attempt":{encode_basestring(event.attempt)},"body":{body}'
    tail = (
        f',"item":{encode_basestring(event.item)},"kind":{encode_basestring(event.kind)}'
        f',"prev":"{prev}","seq":{seq},"time":"{to_text(event.time)}"}}'
    )
    return head, tail
