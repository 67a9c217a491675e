"""Outputs, usage and success read out of a program's JSON by JMESPath expressions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Decimal, InvalidOperation

from forge_cli.handlers.answers import LARGEST, AnswerError, kind_of
from forge_cli.handlers.environment import as_text
from forge_cli.multiagent.plan import Json
from forge_cli.multiagent.turn import TurnResult

USAGE = ("model_calls", "tokens", "cost_usd")
MICRO = 1_000_000


@dataclass(frozen=True, slots=True)
class Answer:
    """The output object, what was used of which budget, and why it counts as a failure, if so.

    `result` is there if the program answered with a whole one, for instance that it `yields`.
    """

    output: Mapping[str, Json]
    usage: Mapping[str, int] = field(default_factory=dict)
    objection: str | None = None
    result: TurnResult | None = None


@dataclass(frozen=True, slots=True)
class Extract:
    """The expressions of one handler, each evaluated over the whole document.

    `ok` must come out true; `outputs` gives the output object; `model_calls`, `tokens` and
    `cost_usd` (decimal dollars) say what was used. One whose value is null was not answered.
    """

    expressions: Mapping[str, str]

    def outputs(self, document: Json) -> Json:
        """The output object; the document itself where no expression is given."""
        expression = self.expressions.get("outputs")
        return document if expression is None else search(expression, document)

    def objection(self, document: Json) -> str | None:
        """Why the program did not succeed by its own account, or None."""
        expression = self.expressions.get("ok")
        if expression is None:
            return None
        value = search(expression, document)
        if value is True:
            return None
        seen = kind_of(value) if isinstance(value, dict | list | str) else as_text(value)
        return f"it says that it did not succeed: `{expression}` is {seen}, not true"

    def usage(self, document: Json) -> dict[str, int]:
        """What was used, in whole units and micro-dollars; what is not told is left out."""
        used = {}
        for dimension in USAGE:
            expression = self.expressions.get(dimension)
            value = None if expression is None else search(expression, document)
            if value is not None:
                used[dimension] = amount(dimension, value)
        return used


def search(expression: str, document: Json) -> Json:
    """The value of a JMESPath expression; `AnswerError` where it cannot be evaluated."""
    from forge_cli.gateway.expressions import ExpressionError, evaluate

    try:
        return evaluate(expression, document)
    except ExpressionError as error:
        raise AnswerError(f"`{expression}` fails on what it printed: {error}") from None


def amount(dimension: str, value: Json) -> int:
    """A reported amount as a budget counts it; part of a micro-dollar counts as a whole one."""
    try:
        number = Decimal(str(value)) if kind_of(value) in ("a number", "a text") else Decimal("NaN")
    except InvalidOperation:
        number = Decimal("NaN")
    if dimension == "cost_usd":
        number = (number * MICRO).to_integral_value(ROUND_CEILING)
    if not number.is_finite() or not 0 <= number <= LARGEST or number != int(number):
        raise AnswerError(f"it reports {dimension} {str(value)[:40]!a}, which is no amount")
    return int(number)
