"""Canonical JSON (RFC 8785) and the digests taken over it."""

import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import rfc8785


def encoder(ensure_ascii: bool, sort_keys: bool) -> Callable[[Any], str]:
    """`JSONEncoder.encode` for compact JSON without NaN, at half its cost.

    It sets itself up for each value; here that is done once. Values must not contain themselves.
    """
    plain = json.JSONEncoder(
        ensure_ascii=ensure_ascii,
        allow_nan=False,
        sort_keys=sort_keys,
        separators=(",", ":"),
        check_circular=False,
    )
    make: Any = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return plain.encode
    quote = json.encoder.encode_basestring_ascii if ensure_ascii else json.encoder.encode_basestring
    chunks = make(None, plain.default, quote, None, ":", ",", sort_keys, False, False)
    return lambda value: "".join(chunks(value, 0))


_encoded = encoder(ensure_ascii=False, sort_keys=True)
_POINT = re.compile(r"[.][0-9]+[],}e]")
"""How each number with a point ends, and few texts: quickly searched for."""

_FLOAT = re.compile(r'[:,\[](?<![^"]:)-?[0-9]+[.eE]')
"""A number with a point or an exponent, where a number can stand: a text may look the same."""


def canonical(value: Any) -> str:
    """The RFC 8785 text of a JSON value.

    The C encoder of the standard library writes the same text for ASCII without fractions, at a
    twentieth of the cost; whatever might differ (key order beyond the BMP, numbers with a point or
    an exponent) goes the long way. A property test holds the two together.
    """
    text = _encoded(value)
    if text.isascii() and type(value) is not float and not _has_float(text):
        return text
    return rfc8785.dumps(value).decode()


def _has_float(text: str) -> bool:
    # Python writes the sign of each exponent.
    suspect = _POINT.search(text) or "e-" in text or "e+" in text
    return bool(suspect) and _FLOAT.search(text) is not None


def digest(value: Any) -> str:
    """`sha256:<hex>` of a JSON value's canonical text."""
    return digest_of_bytes(canonical(value).encode())


def digest_of_bytes(data: bytes) -> str:
    """`sha256:<hex>` of bytes."""
    return "sha256:" + hashlib.sha256(data).hexdigest()
