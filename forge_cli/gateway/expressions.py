"""JMESPath, compiled once: conditions of items and criteria for results."""

from functools import lru_cache
from typing import Any

import jmespath
from jmespath.exceptions import JMESPathError


class ExpressionError(ValueError):
    """An expression that cannot be compiled or evaluated; the text says why."""


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> Any:
    return jmespath.compile(expression)


def evaluate(expression: str, data: Any) -> Any:
    """The value of a JMESPath expression over JSON data; `ExpressionError` if it has none."""
    try:
        return _compiled(expression).search(data)
    except (JMESPathError, TypeError, ValueError, RecursionError) as fault:
        raise ExpressionError(" ".join(str(fault).split())) from fault


def holds(expression: str, data: Any) -> bool:
    """Whether a condition is true: exactly `true`, not merely something that is there.

    Raises `ExpressionError` if it cannot be evaluated or is no boolean.
    """
    value = evaluate(expression, data)
    if isinstance(value, bool):
        return value
    kind = "null" if value is None else type(value).__name__
    raise ExpressionError(f"{expression!r} is {kind}, not true or false")
