"""Values that a JSON Schema may accept: enough to find one that another schema refuses."""

from collections.abc import Iterator
from itertools import islice

from forge_cli.manifest.comparison.inclusion import accepts
from forge_cli.manifest.comparison.keywords import Schema, finite, resolved, types_of
from forge_cli.multiagent.plan import Json

_MOST_TRIED = 400
_DEEPEST = 6
_LONGEST = 200
_BOUNDS = ("maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "multipleOf")
_SIZES = ("maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties")
_UNKNOWN = "x"


def witness(accepting: Json, refusing: Json) -> tuple[Json] | None:
    """A value that the one schema accepts and the other refuses, if a short search finds one."""
    numbers, sizes = {0}, {0, 1}
    constants: list[Json] = []
    for schema in (accepting, refusing):
        _collect(schema, numbers, sizes, constants)
    makers = [_Samples(each, sorted(numbers), sorted(sizes)) for each in (accepting, refusing)]
    tried = [
        *constants,
        *(v for each in makers for v in islice(each.of(each.document), _MOST_TRIED)),
    ]
    for value in tried:
        if accepts(accepting, value) and not accepts(refusing, value):
            return (value,)
    return None


def _collect(value: Json, numbers: set[int], sizes: set[int], constants: list[Json]) -> None:
    """The figures and constants of a schema, and what lies beside each figure."""
    if isinstance(value, list):
        for each in value:
            _collect(each, numbers, sizes, constants)
    elif isinstance(value, dict):
        for key, each in value.items():
            if key in _BOUNDS and isinstance(each, int):
                numbers |= {each - 1, each, each + 1}
            elif key in _SIZES and isinstance(each, int) and each <= _LONGEST:
                sizes |= {max(each - 1, 0), each, each + 1}
            _collect(each, numbers, sizes, constants)


class _Samples:
    def __init__(self, document: Json, numbers: list[int], sizes: list[int]) -> None:
        self.document = document
        self._numbers = numbers
        self._sizes = sizes

    def of(self, schema: Json, depth: int = 0) -> Iterator[Json]:
        """Values that the schema may accept, simple ones first."""
        schema = resolved(schema, self.document)
        if depth > _DEEPEST or schema is False or schema is None:
            return
        if schema is True:
            schema = {}
        values = finite(schema)
        if values is not None:
            yield from values
            return
        for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
            yield from self.of(branch, depth + 1)
        for part in schema.get("allOf", ()):
            yield from self.of(part, depth + 1)
        for kind in sorted(types_of(schema)):
            yield from self._of_type(kind, schema, depth)

    def _of_type(self, kind: str, schema: Schema, depth: int) -> Iterator[Json]:
        match kind:
            case "boolean":
                yield from (True, False)
            case "null":
                yield None
            case "integer" | "number":
                yield from self._numbers
                if kind == "number":
                    yield from (n + 0.5 for n in self._numbers)
            case "string":
                yield from ("x" * size for size in self._sizes)
            case "array":
                yield from self._arrays(schema, depth)
            case "object":
                yield from self._objects(schema, depth)

    def _arrays(self, schema: Schema, depth: int) -> Iterator[Json]:
        elements = list(islice(self.of(schema.get("items", True), depth + 1), 12))
        for size in self._sizes:
            if elements or not size:
                yield [elements[i % len(elements)] for i in range(size)]
        yield from ([each] for each in elements)

    def _objects(self, schema: Schema, depth: int) -> Iterator[Json]:
        described = schema.get("properties", {})
        required = [str(name) for name in schema.get("required", ())]
        values = {
            name: list(islice(self.of(described.get(name, True), depth + 1), 24))
            for name in dict.fromkeys([*required, *described])
        }
        least = {name: values[name][0] for name in required if values[name]}
        yield least
        whole = {name: several[0] for name, several in values.items() if several}
        yield whole
        for name, several in values.items():
            yield from ({**least, name: each} for each in several)
            yield from ({**whole, name: each} for each in several[1:])
            yield {key: value for key, value in whole.items() if key != name}
        yield {**least, _UNKNOWN: None}
