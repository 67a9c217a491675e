"""Finds scopes that are not written in the one way that forge compares.

Absolute paths, `..`, `.`, empty segments, backslashes, braces, `~`, `!` and the like would let two
texts mean one path. There is one way to write each scope, so that inclusion can be decided.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: [repository-read]
    scope: [files:./src/**]
#           ^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: [repository-read]
    scope: [files:src/**]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.scopes import elements, fault
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.subject import Subject

RULE = "scope-not-canonical"


def check(subject: Subject) -> Iterator[Finding]:
    """Read every scope, for each element of a literal list where `${each}` is in it."""
    for path, text, for_each in _scopes(subject.topology):
        if "${" in text.replace("${each}", ""):
            continue
        texts = (text for (text,) in elements((text,), for_each))
        reason = next((found for each in texts if (found := fault(each))), "")
        if reason:
            message, _, hint = reason.partition("; write ")
            hint = f"write  {hint.strip(chr(39))}" if hint else _FORMS
            yield Finding(RULE, Spot(path), message, hint)
    for path, text in _files(subject.topology):
        if reason := fault(text):
            yield Finding(RULE, Spot(path), reason.partition("; write ")[0], _FILE)
        elif not text.startswith("files:") or not _WILD.isdisjoint(text):
            yield Finding(RULE, Spot(path), f"'{text}' is to name one file", _FILE)


_FILE = "write  files:  and a path below the workspace, like files:notes/plan.md"
_WILD = frozenset("*?[")
_FORMS = "write files:<glob>, like files:src/**, or net:<host>:<port>"


def _scopes(topology: Topology) -> Iterator[tuple[Path, str, object]]:
    for index, text in enumerate(topology.data.get("scope", ())):
        yield ("scope", index), text, None
    for role in topology.roles.values():
        for index, text in enumerate(role.written.get("scope", ())):
            yield (*role.path, "scope", index), text, None
    for key in ("scope", "writes"):
        for path, written in topology.terms(key):
            for index, text in enumerate(written[key]):
                yield (*path, index), text, written.get("for_each")


def _files(topology: Topology) -> Iterator[tuple[Path, str]]:
    """What names exact files: artifacts and transcripts of packages, and required evidence."""
    for name, package in section(topology.data, "context_packages").items():
        path: Path = ("context_packages", name)
        for index, text in enumerate(section(package, "summary").get("artifacts", ())):
            yield (*path, "summary", "artifacts", index), text
        if "transcript" in package:
            yield (*path, "transcript"), package["transcript"]
    for path, written in topology.terms("evidence"):
        for index, text in enumerate(written["evidence"]):
            if text.startswith("files:"):
                yield (*path, index), text
