"""Finds words that readers of YAML do not agree on.

`010` is 8 to YAML 1.1 and 10 to YAML 1.2, `NO` is false to one and text to the other, and an
unquoted version 1.10 is the number 1.1 to both. forge reads YAML 1.2, where only true, false and
decimal numbers are not text, and asks where another reader could have meant something else.

Bad:
```yaml
forge: 1
budget: {model_calls: 010}
#                     ^^^
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
    required: NO
#             ^^
```

Good:
```yaml
forge: 1
budget: {model_calls: 10}
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
    required: false
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.subject import Subject

_TRUE = frozenset({"yes", "on", "y", "true"})


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each such word."""
    for error in subject.errors("ambiguous-scalar"):
        message, hint = _told(error)
        yield Finding("ambiguous-scalar", Spot(error.path), message, hint)


def _told(error: StructureError) -> tuple[str, str]:
    place, value = describe(error.path), error.value
    if not isinstance(value, str):
        return (
            f"ambiguous number for {place}: unquoted, 1.10 is read as 1.1",
            f"put three whole numbers in quotes:  {_three(str(error.path[-1]), value)}",
        )
    key = error.path[-1]
    if "true or false" in error.wanted:
        meant = "true" if value.lower() in _TRUE else "false"
        return f"'{value}' is text, not a boolean, for {place}", f"write  {key}: {meant}"
    if value.lower().lstrip("+-").startswith("."):
        return f"'{value}' is no finite number for {place}", "write a number, or leave the key out"
    meant = _decimal(value)
    hint = f"write  {key}: {meant}" if meant else "write it as a decimal number"
    return f"ambiguous number '{value}' for {place}", hint


def _three(key: str, number: float) -> str:
    """The versions that begin as the number may have been written: its last zeros are lost."""
    if "." not in str(number):
        return f'{key}: "{number}.0.0"'
    return f'{key}: "{number}.0"  or, where it was {number}0,  {key}: "{number}0.0"'


def _decimal(value: str) -> str:
    """The decimal that was probably meant; with both readings where there are two."""
    digits = value.lower().lstrip("+")
    if digits.lstrip("0").isdecimal() and set(digits) <= set("01234567"):
        return f"{int(digits)}  (or {int(digits, 8)}, if it was octal)"
    try:
        return str(int(digits, 0)) if digits[:1] == "0" else str(int(digits))
    except ValueError:
        return digits.lstrip("0") if digits.isdecimal() else ""
