"""Finds JSON Schemas that are not valid, or refer to what is not there.

Results are held against schemas (2020-12); one that cannot be read would accept or refuse
anything. References lead into the same schema, to files below the manifest's folder, or to the
`$id` of another schema of the manifest: nothing is fetched.

Bad:
```yaml
forge: 1
schemas:
  verdict@1:
    type: object
    properties:
      verdict: {type: text}
#                     ^^^^
work_items:
  build: {run: [make], capabilities: []}
```

Good:
```yaml
forge: 1
schemas:
  verdict@1:
    type: object
    properties:
      verdict: {type: string}
work_items:
  build: {run: [make], capabilities: []}
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.library import Library, Named, validity
from forge_cli.manifest.meaning.schemas import ANYTHING, Problem
from forge_cli.manifest.subject import Subject

RULE = "bad-schema"


def check(subject: Subject) -> Iterator[Finding]:
    """Look at each schema once, where it is first named."""
    library = Library(subject.topology, subject.files)
    for name in library.named():
        document, fault = library.document(name)
        if fault:
            hint = f"write a JSON Schema, such as  {ANYTHING}"
            yield _finding(name, Problem(fault, file=name.file, hint=hint), None)
            continue
        if document is None:
            continue
        bundle = library.bundle(name)
        problems = [*validity(document, name.file), *bundle.problems]
        for file, other in bundle.documents.items():
            problems.extend(validity(other, file))
        for problem in problems:
            yield _finding(name, problem, document)


def _finding(name: Named, problem: Problem, document: object) -> Finding:
    path: Path = name.path
    where = ""
    if problem.file:
        where = f"schema '{problem.file}'" + _pointer(problem.path)
    elif document is not None:
        path = (*name.path, *problem.path)
        where = f"schema '{name.path[-1]}'"
    return Finding(RULE, Spot(path), f"{where}: {problem.message}".lstrip(": "), problem.hint)


def _pointer(path: Path) -> str:
    return f" at /{'/'.join(map(str, path))}" if path else ""
