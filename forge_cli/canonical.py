"""Canonical JSON (RFC 8785) and the digests taken over it."""

import hashlib
import json
import re
from typing import Any

import rfc8785

_encode = json.JSONEncoder(
    ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"), check_circular=False
).encode
_MAYBE_FLOAT = re.compile(r"[0-9][.eE]")


def canonical(value: Any) -> str:
    """The RFC 8785 text of a JSON value.

    The C encoder of the standard library writes the same text for ASCII without fractions, at a
    twentieth of the cost; whatever might differ (key order beyond the BMP, numbers with a point or
    an exponent) goes the long way. A property test holds the two together.
    """
    text = _encode(value)
    if text.isascii() and not _MAYBE_FLOAT.search(text):
        return text
    return rfc8785.dumps(value).decode()


def digest(value: Any) -> str:
    """`sha256:<hex>` of a JSON value's canonical text."""
    return digest_of_bytes(canonical(value).encode())


def digest_of_bytes(data: bytes) -> str:
    """`sha256:<hex>` of bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
