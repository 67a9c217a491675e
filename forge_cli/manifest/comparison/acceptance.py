"""How the schemas of two results differ: by the values that they accept."""

from dataclasses import dataclass

from forge_cli.canonical import canonical
from forge_cli.manifest.comparison.changes import Verdict
from forge_cli.manifest.comparison.inclusion import alike, includes
from forge_cli.manifest.comparison.judges import apart
from forge_cli.manifest.comparison.samples import witness
from forge_cli.manifest.naming import flow
from forge_cli.multiagent.plan import Json

_LONGEST_WITNESS = 160


@dataclass(frozen=True, slots=True)
class Completion:
    """What a result is held against: a schema and its name; no name is no schema."""

    name: str = ""
    schema: Json = True


def completion(old: Completion, new: Completion) -> Verdict | None:
    """Breaking where more is accepted, or less, or where neither can be shown not to be."""
    before, after = old.schema, new.schema
    if canonical(before) == canonical(after):
        return None
    texts = _told(old, new)
    wider, narrower = not includes(before, after), not includes(after, before)
    if not wider and not narrower:
        same = alike(before, after)
        told = "accepts the same" if same else "accepts the same, in other words"
        return Verdict("compatible", "changed", *texts, told)
    if not wider:
        return Verdict("breaking", "narrowed", *texts, _refused(after, before))
    found = witness(after, before)
    if found is not None:
        told = f"accepts {flow(found[0], _LONGEST_WITNESS)}, which it refused before"
        return Verdict("breaking", "loosened" if not narrower else "changed", *texts, told)
    return Verdict("breaking", "changed", *texts, "cannot be shown to be narrower")


def _refused(after: Json, before: Json) -> str:
    found = witness(before, after)
    if found is None:
        return "accepts less than before"
    return f"refuses {flow(found[0], _LONGEST_WITNESS)}, which it accepted before"


def _told(old: Completion, new: Completion) -> tuple[str, str]:
    """The names where they differ, else the two schemas."""
    if old.name != new.name:
        return old.name or "none", new.name or "none"
    return apart(old.schema, new.schema)
