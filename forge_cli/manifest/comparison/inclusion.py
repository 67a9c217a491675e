"""Whether one JSON Schema accepts whatever another one accepts, as far as that shows.

A yes is proved, a no means only that it does not show. Decided are types, enumerations, bounds,
keys required and described, elements and branches; whatever else a schema demands must stand in
both with the same words.
"""

from collections.abc import Callable, Mapping

from forge_cli.canonical import canonical
from forge_cli.gateway.schemas import FORMATS, violation
from forge_cli.manifest.comparison.keywords import (
    ANNOTATIONS,
    DEFINITIONS,
    Schema,
    bare,
    finite,
    neighbours,
    refers,
    resolved,
    speaks_of,
    types_of,
)
from forge_cli.multiagent.plan import Json

_MOST_STEPS = 20_000


def includes(outer: Json, inner: Json) -> bool:
    """Whether it shows that the outer schema accepts all that the inner one accepts."""
    try:
        return alike(inner, outer) or _Inclusion(inner, outer).within(inner, outer)
    except RecursionError:
        return False


def alike(one: Json, other: Json) -> bool:
    """Whether both demand the same in the same words."""
    return canonical(bare(one)) == canonical(bare(other))


def accepts(schema: Json, value: Json) -> bool:
    """Whether a schema whose references lead into itself accepts the value."""
    return not violation({"schema": schema}, "schema", value)


class _Inclusion:
    """One question; the references of each schema lead into its own document."""

    def __init__(self, inner: Json, outer: Json) -> None:
        self._inner = inner
        self._outer = outer
        self._steps = 0
        self._level = 0
        # What is being decided, with its level; the schemas are kept so that their ids stay theirs.
        self._open: dict[tuple[int, int], int] = {}
        self._settled: dict[tuple[int, int], tuple[Json, Json]] = {}

    def within(self, inner: Json, outer: Json) -> bool:
        """Whether a part of the inner document lies within a part of the outer one."""
        self._steps += 1
        inner, outer = resolved(inner, self._inner), resolved(outer, self._outer)
        if outer in (True, {}) or inner is False:
            return True
        if self._steps > _MOST_STEPS or not isinstance(outer, dict) or inner is None:
            return False
        pair = (id(inner), id(outer))
        if pair in self._open:
            # Values are finite: what fails, fails further down. A round without a step down never
            # comes to an end.
            return self._open[pair] < self._level
        return pair in self._settled or self._settle(pair, inner, outer)

    def _settle(self, pair: tuple[int, int], inner: Json, outer: Schema) -> bool:
        before = dict(self._settled)
        self._open[pair] = self._level
        holds = self._decide({} if inner is True else inner, outer)
        del self._open[pair]
        if holds:
            self._settled[pair] = (inner, outer)
        else:
            # What was settled meanwhile may have leant on this one.
            self._settled = before
        return holds

    def _decide(self, inner: Schema, outer: Schema) -> bool:
        values = finite(inner)
        if values is not None and not refers(outer):
            return all(accepts(outer, value) for value in values)
        if "anyOf" in inner and all(self.within(each, outer) for each in inner["anyOf"]):
            return True
        if any(self.within(each, outer) for each in inner.get("allOf", ())):
            return True
        demands = [key for key in outer if key not in ANNOTATIONS and key not in DEFINITIONS]
        return all(self._meets(inner, outer, key) for key in demands)

    def _meets(self, inner: Schema, outer: Schema, key: str) -> bool:
        """Whether what the inner accepts is what this keyword of the outer demands."""
        if not speaks_of(key, inner):
            return True
        rule = _RULES.get(key)
        if rule is not None and rule(self, inner, outer):
            return True
        about = {name: outer[name] for name in neighbours(key) if name in outer}
        if any(self.within(each, about) for each in inner.get("allOf", ())):
            return True
        return key in inner and self._repeats(inner, outer, key)

    def _repeats(self, inner: Schema, outer: Schema, key: str) -> bool:
        """Whether both say the same here; what they refer to counts as well."""
        if key.startswith("unevaluated"):
            return alike(self._inner, self._outer) and alike(inner, outer)
        ours, theirs = (
            {name: schema[name] for name in neighbours(key) if name in schema}
            for schema in (inner, outer)
        )
        return alike(ours, theirs) and (not refers(ours) or alike(self._inner, self._outer))

    def _below(self, inner: Json, outer: Json) -> bool:
        """The same of a part of the value."""
        self._level += 1
        try:
            return self.within(inner, outer)
        finally:
            self._level -= 1

    def properties(self, inner: Schema, outer: Schema) -> bool:
        """Each key that is described has a value that fits the description."""
        described = outer["properties"].items()
        return all(self._below(_property(inner, name), each) for name, each in described)

    def pattern_properties(self, inner: Schema, outer: Schema) -> bool:
        """The same patterns are described, no laxer."""
        known = inner.get("patternProperties", {})
        described = outer["patternProperties"].items()
        return all(name in known and self._below(known[name], each) for name, each in described)

    def additional_properties(self, inner: Schema, outer: Schema) -> bool:
        """Every other key has a value that fits."""
        rest, patterns = outer["additionalProperties"], outer.get("patternProperties", {})
        others = inner.get("patternProperties", {})
        if patterns.keys() - others.keys():
            return False
        named, known = inner.get("properties", {}), outer.get("properties", {})
        free = [each for name, each in named.items() if name not in known]
        free += [each for name, each in others.items() if name not in patterns]
        free.append(inner.get("additionalProperties", True))
        return all(self._below(each, rest) for each in free)

    def items(self, inner: Schema, outer: Schema) -> bool:
        """Each element fits; positions with a schema of their own are not looked into."""
        if "prefixItems" in outer:
            return False
        elements = [*inner.get("prefixItems", ()), inner.get("items", True)]
        return all(self._below(each, outer["items"]) for each in elements)

    def all_of(self, inner: Schema, outer: Schema) -> bool:
        """Each of the parts holds."""
        return all(self.within(inner, each) for each in outer["allOf"])

    def any_of(self, inner: Schema, outer: Schema) -> bool:
        """One of the branches takes all of it."""
        return any(self.within(inner, each) for each in outer["anyOf"])


Rule = Callable[[_Inclusion, Schema, Schema], bool]


def _typed(_: _Inclusion, inner: Schema, outer: Schema) -> bool:
    allowed = types_of(outer)
    return all(t in allowed or (t == "integer" and "number" in allowed) for t in types_of(inner))


def _required(_: _Inclusion, inner: Schema, outer: Schema) -> bool:
    return set(outer["required"]) <= set(inner.get("required", ()))


def _unique(_: _Inclusion, inner: Schema, outer: Schema) -> bool:
    return not outer["uniqueItems"] or bool(inner.get("uniqueItems"))


def _formed(_: _Inclusion, __: Schema, outer: Schema) -> bool:
    return outer["format"] not in (*FORMATS, "date-time")


def _at_most(key: str) -> Rule:
    return lambda _, inner, outer: key in inner and inner[key] <= outer[key]


def _at_least(key: str) -> Rule:
    """Nothing has fewer than none."""
    return lambda _, inner, outer: outer[key] <= inner.get(key, 0)


def _maximum(_: _Inclusion, inner: Schema, outer: Schema) -> bool:
    bounds = [inner[key] for key in ("maximum", "exclusiveMaximum") if key in inner]
    return any(bound <= outer["maximum"] for bound in bounds)


def _below_maximum(_: _Inclusion, inner: Schema, outer: Schema) -> bool:
    bound = outer["exclusiveMaximum"]
    within = "exclusiveMaximum" in inner and inner["exclusiveMaximum"] <= bound
    return within or ("maximum" in inner and inner["maximum"] < bound)


def _minimum(_: _Inclusion, inner: Schema, outer: Schema) -> bool:
    bounds = [inner[key] for key in ("minimum", "exclusiveMinimum") if key in inner]
    return any(bound >= outer["minimum"] for bound in bounds)


def _above_minimum(_: _Inclusion, inner: Schema, outer: Schema) -> bool:
    bound = outer["exclusiveMinimum"]
    within = "exclusiveMinimum" in inner and inner["exclusiveMinimum"] >= bound
    return within or ("minimum" in inner and inner["minimum"] > bound)


_RULES: Mapping[str, Rule] = {
    "type": _typed,
    "required": _required,
    "uniqueItems": _unique,
    "format": _formed,
    "properties": _Inclusion.properties,
    "patternProperties": _Inclusion.pattern_properties,
    "additionalProperties": _Inclusion.additional_properties,
    "items": _Inclusion.items,
    "allOf": _Inclusion.all_of,
    "anyOf": _Inclusion.any_of,
    "maximum": _maximum,
    "exclusiveMaximum": _below_maximum,
    "minimum": _minimum,
    "exclusiveMinimum": _above_minimum,
    **{key: _at_most(key) for key in ("maxLength", "maxItems", "maxProperties")},
    **{key: _at_least(key) for key in ("minLength", "minItems", "minProperties")},
}


def _property(schema: Schema, name: str) -> Json:
    """What is surely demanded of the value of a key."""
    if name in schema.get("properties", {}):
        return schema["properties"][name]
    return True if "patternProperties" in schema else schema.get("additionalProperties", True)
