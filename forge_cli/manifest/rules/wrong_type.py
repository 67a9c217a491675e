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

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.naming import describe, flow, shape
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.shape.language import child, explainable, keys, schema
from forge_cli.manifest.shape.typed import named, typed
from forge_cli.manifest.subject import Subject

_SPANS = frozenset({"timeout", "deadline", "grace", "backoff", "max"})
_FREE = (("env",), ("labels",))


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
    if _is_collection(value):
        return shape(value)
    return f"{shape(value)} {flow(value) if not isinstance(value, str) else _quoted(value)}"


def _quoted(value: str) -> str:
    return f"'{value if len(value) <= 40 else value[:37] + '...'}'"


def _hint(error: StructureError) -> str:
    key, value = error.path[-1], error.value
    before = f"{key}: " if isinstance(key, str) else ""
    if _is_right_unquoted(value, error.wanted):
        return f"remove the quotes: {before}{value}"
    if "whole number" in error.wanted and isinstance(value, float) and value.is_integer():
        return f"write  {before}{int(value)}"
    if key in _SPANS and isinstance(value, int) and not isinstance(value, bool):
        return (
            f"write  {before}{value}s  if seconds are meant, {value}m, {value}h or {value}d if not"
        )
    if (
        error.wanted == ("text",)
        and _is_free_text(error.path)
        and not isinstance(value, list | dict)
    ):
        return f'put it in quotes: {before}"{flow(value)}"'
    if isinstance(key, str) and (mended := _mended(key, error)):
        return mended
    known = f"forge explain {explainable(error.path)}"
    return f"write a number in digits: {known}" if "number" in error.wanted[0] else known


def _mended(key: str, error: StructureError) -> str:
    """What to type instead, if that is plain."""
    if error.wanted == ("mapping",):
        own_names = len(error.path) == 1 and not keys(child(schema(), key))
        own_names = own_names or key in ("sub_tasks", "env", "with", "labels", "inputs")
        return named(key, error.value) if own_names and isinstance(error.value, list) else ""
    mended = typed(key, error.value, error.wanted, error.known)
    return f"write  {mended}" if mended else ""


def _is_right_unquoted(value: object, wanted: tuple[str, ...]) -> bool:
    if not isinstance(value, str) or "text" in wanted:
        return False
    if "true or false" in wanted:
        return value in ("true", "false")
    digits = value.removeprefix("-")
    if "number" in wanted:
        digits = digits.replace(".", "", 1)
    return digits.isdecimal() and "number" in wanted[0]


def _is_collection(value: object) -> bool:
    return isinstance(value, list | dict)


def _is_free_text(path: Path) -> bool:
    """Whether any text can stand there, so that quotes are what is missing."""
    return isinstance(path[-1], int) or path[-1] == "confidence" or path[-2:-1] in _FREE
