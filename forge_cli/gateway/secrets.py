"""Secrets are replaced before any byte is kept: the value, also in base64, in URLs, in quotes."""

import base64
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from forge_cli.errors import ForgeError

MASK = "***"
SHORTEST = 4
"""Characters a secret must have: masking a shorter one would make everything unreadable."""

NESTED = 2
"""How often a quoted text is quoted again: programs print messages that quote those of others."""


class Redactor:
    """Replaces the values of secrets by `***`, wherever they stand.

    `values` maps names of variables to their values. Known by: the value, with and without white
    space around it; base64 (both alphabets) at each of the three alignments, less the characters
    that its neighbours also decide; URL-encoded; as text within JSON or as Python shows it, also
    quoted twice. A base64 text that is broken into lines inside the value is not recognized.
    Raises `ForgeError` for a value under four characters, by its name.
    """

    def __init__(self, values: Mapping[str, str]) -> None:
        for name, value in values.items():
            if len(value.strip()) < SHORTEST:
                raise ForgeError(
                    f"secret {name!r} has fewer than {SHORTEST} characters, too few to keep it out "
                    "of logs; set a longer one"
                )
        forms = sorted(
            {form for value in values.values() for form in forms_of(value)},
            key=lambda form: (-len(form), form),
        )
        self._longest = len(forms[0]) if forms else 0
        self._bytes = re.compile(b"|".join(map(re.escape, forms))) if forms else None
        texts = (re.escape(form.decode("utf-8", "surrogateescape")) for form in forms)
        self._text = re.compile("|".join(texts)) if forms else None

    @property
    def knows_any(self) -> bool:
        """Whether there is anything to look for."""
        return self._text is not None

    def redact(self, text: str) -> str:
        """The text without secrets."""
        return self._text.sub(MASK, text) if self._text else text

    def redact_bytes(self, data: bytes) -> bytes:
        """The bytes without secrets."""
        return self._bytes.sub(MASK.encode(), data) if self._bytes else data

    def redact_json(self, value: Any) -> Any:
        """The JSON value with `***` for secrets in texts and keys, and for numbers with one."""
        return self._walk(value) if self._text else value

    def redact_values(self, named: Mapping[str, Any]) -> dict[str, Any]:
        """The values without secrets, under keys that a contract names."""
        return {key: self.redact_json(value) for key, value in named.items()}

    def stream(self) -> "RedactedStream":
        """For one output that comes in pieces."""
        return RedactedStream(self._bytes, self._longest)

    def _walk(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.redact(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            # A part of it that is masked would not leave a number.
            return value if self.redact(json.dumps(value)) == json.dumps(value) else MASK
        if isinstance(value, list):
            return [self._walk(element) for element in value]
        if isinstance(value, dict):
            return {self.redact(key): self._walk(element) for key, element in value.items()}
        return value


class RedactedStream:
    """Redacts pieces so that their borders make no difference."""

    def __init__(self, pattern: re.Pattern[bytes] | None, longest: int) -> None:
        self._pattern = pattern
        self._longest = longest
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What of all that came so far is certain by now; the rest is held back."""
        if self._pattern is None:
            return data
        return self._cut(self._held + data, self._longest - 1)

    def finish(self) -> bytes:
        """What was held back."""
        if self._pattern is None:
            return b""
        return self._cut(self._held, 0)

    def _cut(self, data: bytes, hold: int) -> bytes:
        # A form that starts before `limit` is seen whole; one behind it may still grow longer.
        limit = max(0, len(data) - hold)
        parts, done = [], 0
        for match in self._pattern.finditer(data) if self._pattern else ():
            if match.start() >= limit:
                break
            parts += [data[done : match.start()], MASK.encode()]
            done = match.end()
        limit = max(done, limit)
        parts.append(data[done:limit])
        self._held = data[limit:]
        return b"".join(parts)


def forms_of(value: str) -> Iterator[bytes]:
    """The forms in which a value is looked for, none of them empty."""
    for text in {value, value.strip()}:
        plain = text.encode("utf-8", "surrogateescape")
        yield plain
        yield from in_base64(plain)
        for encoded in (quote(plain, safe=""), quote(plain), quote_plus(plain)):
            yield encoded.encode()
            yield re.sub("%..", lambda match: match[0].lower(), encoded).encode()
        written = {text}
        for _ in range(NESTED):
            written = {form for each in written for form in as_quoted(each)}
            yield from (form.encode("utf-8", "surrogateescape") for form in written)


def as_quoted(text: str) -> Iterator[str]:
    """The text as it stands between quotes in JSON, and where Python shows it."""
    quoted = (json.dumps(text), json.dumps(text, ensure_ascii=False), repr(text), ascii(text))
    yield from (each[1:-1] for each in quoted)


def in_base64(data: bytes) -> Iterator[bytes]:
    """What base64 makes of the bytes at each alignment, as far as they alone decide it."""
    for before in range(3):
        encoded = base64.b64encode(bytes(before) + data)
        first = -(-before * 8 // 6)
        last = (before + len(data)) * 8 // 6
        yield encoded[first:last]
        yield encoded[first:last].translate(bytes.maketrans(b"+/", b"-_"))
