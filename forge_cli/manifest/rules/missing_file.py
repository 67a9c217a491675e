"""Finds files that the manifest names and that are not there.

Handlers, schemas and instructions are read from files below the manifest's folder, and nowhere
else; what an included file names, from below its own. Their bytes are part of the plan.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: function, call: "reviewers.py:review"}
#                                    ^^^^^^^^^^^^
work_items:
  review: {role: reviewer}
```

Good:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: function, call: "handlers.py:review"}
work_items:
  review: {role: reviewer}
```
```python handlers.py
def review(turn):
    return {"result": "fine"}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.schemas import ANYTHING
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import nearest

RULE = "missing-file"


def check(subject: Subject) -> Iterator[Finding]:
    """Look for every file by name; one that is named twice is told at each place."""
    for path, name, what in _files(subject):
        problem = subject.files.problem(name)
        if problem:
            near = nearest(name, subject.files.beside(name))
            yield Finding(
                RULE,
                Spot(path, note=f"did you mean '{near}'?" if near else "", token=name),
                f"{what} '{name}' {problem}",
                _hint(subject, path, name),
            )


def _hint(subject: Subject, path: Path, name: str) -> str:
    """A schema of that name may have been meant; else where files are looked for."""
    known = tuple(section(subject.data, "schemas"))
    if path[-1] == "completion" and known:
        same = (each for each in known if name in (each, each.partition("@")[0]))
        meant = next(same, None) or nearest(name, known)
        if meant:
            return f"write  completion: schema:{meant}"
    holder = "included file" if path[:2] in subject.source.origins else "manifest"
    where = f"files are named from the {holder}'s folder, and lie below it"
    what = _CONTENTS.get(str(path[-1]), f"a JSON Schema, such as  {ANYTHING}")
    return f"{where}\nmend the name, or create the file with {what}"


_CONTENTS = {
    "call": "the function in it",
    "instructions_file": "the text that the agent is to follow",
}


def _files(subject: Subject) -> Iterator[tuple[Path, str, str]]:
    topology = subject.topology
    for role in topology.roles.values():
        handler, path = role.written.get("handler", {}), (*role.path, "handler")
        if handler.get("kind") == "function" and "call" in handler:
            yield (*path, "call"), handler["call"].rpartition(":")[0], "handler file"
        if "instructions_file" in handler:
            yield (*path, "instructions_file"), handler["instructions_file"], "instructions"
    for name, schema in section(subject.data, "schemas").items():
        if isinstance(schema, str):
            yield ("schemas", name), schema, "schema"
    for path, written in topology.terms("completion"):
        if not written["completion"].startswith("schema:"):
            yield path, written["completion"], "schema"
