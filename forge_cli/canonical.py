"""Canonical JSON (RFC 8785) and the digests taken over it."""

import hashlib
import json
import re
from typing import Any

import rfc8785

_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"), check_circular=False
).encode
_MAYBE_FLOAT = re.compile(r"[:,\[]-?[0-9]+[.eE]")
_FLOAT = re.compile(r'(?:":|[,\[])-?[0-9]+[.eE]')


def canonical(value: Any) -> str:
    """The RFC 8785 text of a JSON value.

    The C encoder of the standard library writes the same text for ASCII without fractions, at a
    twentieth of the cost; whatever might differ (key order beyond the BMP, numbers with a point or
    an exponent) goes the long way. A property test holds the two together.
    """
    text = _encode(value)
    if text.isascii() and not _may_hold_float(text):
        return text
    return rfc8785.dumps(value).decode()


def digest(value: Any) -> str:
    """`sha256:<hex>` of a JSON value's canonical text."""
    return digest_of_bytes(canonical(value).encode())


def digest_of_bytes(data: bytes) -> str:
    """`sha256:<hex>` of bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _may_hold_float(text: str) -> bool:
    # A number follows a colon, a comma, a bracket, or nothing at all. The first search is the quick
    # one; digests (`sha256:3e...`) meet it too, and the second tells them apart.
    text = "," + text
    return _MAYBE_FLOAT.search(text) is not None and _FLOAT.search(text) is not None
