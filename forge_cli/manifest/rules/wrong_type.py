"""Finds values of another type than the key takes.

Nothing is converted silently: `"3"` is text and `3.0` is no whole number, so that a manifest
means the same to everybody who reads it.

Bad:
```yaml
forge: 1
budget: {model_calls: "3"}
#                     ^^^
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```

Good:
```yaml
forge: 1
budget: {model_calls: 3}
work_items:
  lint:
    run: [ruff, check]
    capabilities: []
```
"""

from collections.abc import Iterator

from forge_cli.manifest.faults import StructureError
from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.naming import describe, flow, shape
from forge_cli.manifest.subject import Subject

_SPANS = frozenset({"timeout", "deadline", "grace", "backoff", "max"})


def check(subject: Subject) -> Iterator[Finding]:
    """One finding for each value, and what the reader found about the top level."""
    yield from subject.faults("wrong-type")
    for error in subject.errors("wrong-type"):
        wanted = " or ".join(error.wanted)
        yield Finding(
            "wrong-type",
            Spot(error.path),
            f"expected {wanted}, found {_found(error.value)} for {describe(error.path)}",
            _hint(error),
        )


def _found(value: object) -> str:
    if isinstance(value, bool):
        return flow(value)
    if isinstance(value, list | dict):
        return shape(value)
    return f"{shape(value)} {flow(value) if not isinstance(value, str) else _quoted(value)}"


def _quoted(value: str) -> str:
    return f"'{value if len(value) <= 40 else value[:37] + '...'}'"


def _hint(error: StructureError) -> str:
    key, value = error.path[-1], error.value
    typed = f"write  {key}: " if isinstance(key, str) else "write  "
    if isinstance(value, str) and "text" not in error.wanted and _unquoted(error):
        return f"remove the quotes: {typed.removeprefix('write  ')}{value}"
    if isinstance(value, float) and value.is_integer() and "whole number" in error.wanted:
        return f"{typed}{int(value)}"
    if isinstance(value, list | dict):
        return f"forge explain {key}" if isinstance(key, str) else ""
    if "list" in error.wanted and "text" not in error.wanted:
        return f"{typed}[{flow(value)}]"
    if key in _SPANS and isinstance(value, int | float):
        return f"{typed}{value}s  for seconds; m, h and d are known as well"
    if "text" in error.wanted:
        return f'put it in quotes: {typed.removeprefix("write  ")}"{flow(value)}"'
    return f"forge explain {key}" if isinstance(key, str) else ""


def _unquoted(error: StructureError) -> bool:
    """Whether the text would be right without its quotes."""
    value = str(error.value)
    if "true or false" in error.wanted:
        return value in ("true", "false")
    digits = value.removeprefix("-")
    if "number" in error.wanted:
        digits = digits.replace(".", "", 1)
    return digits.isdecimal() and "number" in error.wanted[0]
