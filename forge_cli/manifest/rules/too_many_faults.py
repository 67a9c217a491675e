"""Finds manifests with more than 1,000 faults of their shape, or 10,000 of their meaning.

Such a file is most often another tool's, or made by a program that went wrong: its first faults
say as much as all of them, and telling all would take minutes. The others are not told. An example
would be as long, so there is none here.
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Spot
from forge_cli.manifest.shape.structure import MAX_FAULTS
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """One finding about the whole file."""
    if subject.structure.hopeless:
        yield too_many(MAX_FAULTS, "is this a forge manifest? It begins with  forge: 1")


def too_many(most: int, hint: str = "mend these first") -> Finding:
    """That there are more faults than are told."""
    sentence = f"more than {most:,} faults; the first are told, the others are not"
    return Finding("too-many-faults", Spot(), sentence, hint)
