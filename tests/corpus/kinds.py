"""Every kind of fault that is made in the sound corpus."""

from collections.abc import Mapping

from tests.corpus import cycles, grants, references, shapes, values
from tests.corpus.trial import Maker

KINDS: Mapping[str, tuple[Maker, int]] = {
    "a misspelt key": (shapes.misspelt, 200),
    "a value of another type": (shapes.mistyped, 800),
    "a key without a value": (shapes.nulls, 200),
    "a key that is there twice": (shapes.doubled, 250),
    "a key that is not there": (shapes.missing, 30),
    "a word that is not listed": (shapes.strange, 20),
    "a value below the least": (shapes.too_small, 45),
    "an entry of another type": (shapes.entries, 30),
    "a name that leads nowhere": (references.dangling, 13),
    "a further name that leads nowhere": (references.added, 15),
    "a text that reads what is not there": (references.read, 12),
    "a version that is not there": (references.versions, 4),
    "a file that is not there": (references.files, 4),
    "a wider capability": (grants.capabilities, 3),
    "authority that is not the delegator's": (grants.authority, 2),
    "an output that the role has not": (grants.outputs, 2),
    "a wider scope": (grants.scopes, 4),
    "a larger budget": (grants.budgets, 11),
    "a later deadline": (grants.deadlines, 3),
    "a greater depth": (grants.depths, 2),
    "a lower risk": (grants.risks, 1),
    "a count that cannot be reached": (grants.counts, 2),
    "an item in a ring": (cycles.of_items, 2),
    "a sub-task behind its item": (cycles.of_children, 1),
    "a role in a ring": (cycles.of_roles, 2),
    "an expression that cannot be read": (values.expressions, 8),
    "a span that can be read in two ways": (values.spans, 8),
    "a name that is no id": (values.ids, 2),
    "a schema that is none": (values.schemas, 1),
    "a built-in word with another meaning": (values.built_in, 1),
    "a text that is not filled": (values.fills, 3),
}
"""What makes them, and how many differ in the short form at least."""
