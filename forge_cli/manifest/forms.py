"""The forms that ids, names and versions have to match, and how they are told to people.

The patterns are read by Rust's regex crate and by editors (ECMA 262): both agree on what is used
here, and both match the whole text only because of the anchors.
"""

from collections.abc import Mapping
from typing import NamedTuple

ID = "^[a-z][a-z0-9_-]{0,63}$"
SCHEMA_ID = "^[a-z][a-z0-9_-]{0,63}@[1-9][0-9]{0,8}$"
VARIABLE = "^[A-Za-z_][A-Za-z0-9_]{0,127}$"
VERSION = "^(0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})[.](0|[1-9][0-9]{0,8})$"
CALL = "^[^:]+[.]py:[A-Za-z_][A-Za-z0-9_]*$"
EXIT_STATUS = "^([1-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5])$"
CONFIDENCE = "^(0([.][0-9]{1,6})?|1([.]0{1,6})?)$"
NOT_BLANK = "[^ \\t\\n]"
PROGRAM = "^[^ \\t\\n]|[^ \\t\\n]$"


class Form(NamedTuple):
    """What a pattern wants: the noun, how it is built, and one that is right."""

    noun: str
    grammar: str
    example: str


FORMS: Mapping[str, Form] = {
    ID: Form("an id", "a-z, 0-9, '_' and '-', a letter first, at most 64 characters", "review-2"),
    SCHEMA_ID: Form("a schema's name", "an id, '@' and a whole number", "findings@3"),
    VARIABLE: Form("the name of a variable", "letters, digits and '_', no digit first", "GH_TOKEN"),
    VERSION: Form("a version", "three whole numbers joined by dots", '"2.1.0"'),
    CALL: Form(
        "a function",
        "a Python file that exists below the manifest's folder, ':' and its function",
        '"handlers.py:review"',
    ),
    EXIT_STATUS: Form("an exit status", "a whole number from 1 to 255", '"42"'),
    CONFIDENCE: Form("a confidence", "a decimal from 0 to 1 as text", '"0.8"'),
    PROGRAM: Form("a program", "its name or its path", "make"),
    NOT_BLANK: Form("text", "at least one letter or sign", "Review the change"),
}
