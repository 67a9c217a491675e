"""JMESPath, compiled once: conditions of items and criteria for results."""

from functools import lru_cache
from typing import Any
from warnings import catch_warnings, simplefilter

import jmespath
from jmespath.exceptions import JMESPathError

from forge_cli.gateway.metering import Metered
from forge_cli.gateway.patience import PATIENCE, OvertimeError, within
from forge_cli.multiagent.terms import LONGEST_EXPRESSION


class ExpressionError(ValueError):
    """An expression that cannot be compiled or evaluated; the text says why."""


@lru_cache(maxsize=4096)
def _compiled(expression: str) -> Any:
    if len(expression) > LONGEST_EXPRESSION:
        raise ExpressionError(
            f"it has {len(expression):,} characters, more than {LONGEST_EXPRESSION:,}"
        )
    with catch_warnings():
        # A literal in backticks without quotes is text: an old form, and still a sound one.
        simplefilter("ignore", PendingDeprecationWarning)
        return jmespath.compile(expression)


def evaluate(expression: str, data: Any, seconds: float = PATIENCE) -> Any:
    """The value of a JMESPath expression over JSON data; `ExpressionError` if it has none.

    One that takes too many steps, or longer than so many seconds, has none.
    """
    try:
        with within(seconds):
            return Metered().value(_compiled(expression).parsed, data)
    except (JMESPathError, ArithmeticError, TypeError, ValueError, RecursionError) as fault:
        raise ExpressionError(" ".join(str(fault).split())) from fault
    except OvertimeError as fault:
        raise ExpressionError(f"it {fault}") from fault


def holds(expression: str, data: Any, seconds: float = PATIENCE) -> bool:
    """Whether a condition is true: exactly `true`, not merely something that is there.

    Raises `ExpressionError` if it cannot be evaluated or is no boolean.
    """
    value = evaluate(expression, data, seconds)
    if isinstance(value, bool):
        return value
    kind = "null" if value is None else type(value).__name__
    raise ExpressionError(f"{expression!r} is {kind}, not true or false")
