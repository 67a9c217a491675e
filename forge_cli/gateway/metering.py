"""JMESPath whose cost is counted: a short expression may ask for more steps than anybody waits."""

from collections.abc import Mapping, Sequence
from typing import Any

from jmespath.functions import Functions
from jmespath.visitor import TreeInterpreter

STEPS = 2_000_000
"""What one evaluation may cost: a node that is looked at, or a value that is read, is one step.

A few seconds; a condition over a list of 100,000 elements takes a third of it.
"""

CHARACTERS = 64
"""So many characters of a text are read for one step."""


class CostError(ValueError):
    """The evaluation would take more steps than it may."""


class Metered(TreeInterpreter):
    """Evaluates one expression once; the same data cost the same everywhere."""

    def __init__(self, steps: int = STEPS) -> None:
        super().__init__()
        self._steps = self._left = steps

    def value(self, node: Any, data: Any) -> Any:
        """The value of a parsed expression; `CostError` if it, or its size, is beyond the steps."""
        found = self.visit(node, data)
        self._read(found)
        return found

    def visit(self, node: Any, *arguments: Any, **keywords: Any) -> Any:
        """Look at a node, for one step."""
        self._pay(1)
        return super().visit(node, *arguments, **keywords)

    def visit_comparator(self, node: Any, value: Any) -> Any:
        """Compare two values, which reads both."""
        left, right = (self.visit(child, value) for child in node["children"])
        self._read(left)
        self._read(right)
        return super().visit_comparator(_with(node, left, right), None)

    def visit_function_expression(self, node: Any, value: Any) -> Any:
        """Call a function, which reads its arguments."""
        arguments = [self.visit(child, value) for child in node["children"]]
        for argument in arguments:
            self._read(argument)
        return _FUNCTIONS.call_function(node["value"], arguments)

    def visit_flatten(self, node: Any, value: Any) -> Any:
        """Join the lists in a list, which copies them."""
        base = self.visit(node["children"][0], value)
        if isinstance(base, list):
            self._pay(sum(len(each) if isinstance(each, list) else 1 for each in base))
        return super().visit_flatten(_with(node, base), None)

    def _pay(self, steps: int) -> None:
        self._left -= steps
        if self._left < 0:
            raise CostError(f"it takes more than {self._steps:,} steps; ask for less")

    def _read(self, value: Any) -> None:
        """Pay for a value as often as its parts stand in it: the same list may do so many times."""
        rest = [value]
        while rest:
            value = rest.pop()
            if isinstance(value, str):
                self._pay(1 + len(value) // CHARACTERS)
            elif isinstance(value, Mapping):
                self._pay(1 + len(value))
                rest.extend(value.values())
            elif isinstance(value, Sequence):
                self._pay(1 + len(value))
                rest.extend(value)
            else:
                self._pay(1)


_FUNCTIONS: Any = Functions()


def _with(node: Mapping[str, Any], *values: Any) -> Any:
    """The node with values that are known in place of its children."""
    return {**node, "children": [{"type": "literal", "value": v, "children": []} for v in values]}
