"""Finds functions that a handler names and its file does not define.

The file is parsed and never run, so that a misspelt name or a broken line is told before a run
has done half of its work. Names that come into being only when the file runs (`from x import *`,
`globals()`) are taken to be there.

Bad:
```yaml
forge: 1
roles:
  reviewer:
    capabilities: []
    handler: {kind: function, call: "handlers.py:reviewer"}
#                                                ^^^^^^^^
work_items:
  review: {role: reviewer}
```
```python handlers.py
def review(turn):
    return {"result": "fine"}
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
from forge_cli.manifest.meaning.functions import Definitions, definitions
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import suggest

RULE = "missing-function"
MOST_SHOWN = 8
"""Functions of the file that a hint lists."""


def check(subject: Subject) -> Iterator[Finding]:
    """Look for each function in its file; a file that is missing is told as that."""
    found: dict[str, Definitions] = {}
    for role in subject.topology.roles.values():
        handler = role.written.get("handler", {})
        if handler.get("kind") != "function" or "call" not in handler:
            continue
        path = (*role.path, "handler", "call")
        file, _, name = handler["call"].rpartition(":")
        content = subject.files.read(file)
        if content is None:
            continue
        if file not in found:
            found[file] = definitions(content)
        yield from _compared(path, file, name, found[file])


def _compared(path: Path, file: str, name: str, found: Definitions) -> Iterator[Finding]:
    if found.fault:
        hint = f"mend line {found.line} of {file}" if found.line else f"mend {file}"
        message = f"'{file}' is no Python that can be read: {found.fault}"
        yield Finding(RULE, Spot(path, token=file), message, hint)
    elif not found.open and name not in found.names:
        suggestion = suggest(name, found.functions)
        note = f"did you mean '{suggestion.word}'?" if suggestion else ""
        shown = ", ".join(f"'{each}'" for each in found.functions[:MOST_SHOWN])
        more = ", .." if found.functions[MOST_SHOWN:] else ""
        hint = f"it has: {shown}{more}" if shown else f"write in {file}  def {name}(turn):"
        spot = Spot(path, note=note, token=name)
        yield Finding(RULE, spot, f"'{file}' has no function '{name}'", hint)
