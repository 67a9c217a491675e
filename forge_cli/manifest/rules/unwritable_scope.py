"""Finds `writes`, and scopes of items that write, which name only what nobody may write.

What forge keeps for itself (`.forge`), evidence, the manifest and the files that it includes are
written by forge alone, whatever a scope says. So an item that names nothing else is denied when it
writes, or its sandbox makes nothing writable. A pattern that covers other files as well is fine.

Bad:
```yaml
forge: 1
work_items:
  report:
    run: [bin/report]
    capabilities: [repository-write]
    writes: [files:evidence/report/**]
#            ^^^^^^^^^^^^^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
work_items:
  report:
    run: [bin/report]
    capabilities: [repository-write]
    writes: [files:out/report/**]
```
"""

from collections.abc import Iterator

from forge_cli.manifest.files import OWN_FOLDERS
from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.nodes import Node, Written
from forge_cli.manifest.meaning.scopes import elements, fault, literal
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.subject import Subject

RULE = "unwritable-scope"

_Own = dict[tuple[str, ...], str]
"""Paths from the workspace, each as its segments, and what lies there, as a message names it."""


def check(subject: Subject) -> Iterator[Finding]:
    """Look at each pattern of `writes`, and at the scopes of items that write without them."""
    topology, own = subject.topology, _own(subject)
    for path, written in topology.terms("writes"):
        for index, text in enumerate(written["writes"]):
            if what := _only(own, text, written.get("for_each")):
                yield _finding((*path, index), f"'{text}' names only {what}")
    found: dict[Path, Finding] = {}
    for node in topology.nodes.values():
        if not node.children and node.writes and "writes" not in node.written:
            told = [_only(own, text, node.written.get("for_each")) for text in node.writes]
            if all(told):
                place = _place(topology, node)
                message = f"'{node.item_id}' may write, and its scope names only {told[0]}"
                found.setdefault(place, _finding(place, message))
    yield from found.values()


def _own(subject: Subject) -> _Own:
    """What nobody may write: see `forge_cli.app.own`, which holds it while a run goes on."""
    found: _Own = {(folder,): what for folder, what in OWN_FOLDERS.items()}
    files = subject.files
    names = dict.fromkeys(subject.source.included, "an included file")
    names[subject.path.rpartition("/")[2]] = "the manifest"
    for name, what in names.items():
        if place := files.below_workspace(name):
            found[tuple(place.split("/"))] = what
    return found


def _only(own: _Own, text: str, for_each: object) -> str:
    """What of forge's own the pattern lies in, with every element; nothing if it does not."""
    what = ""
    for (each,) in elements((text,), for_each):
        segments = literal(each)
        beginnings = (segments[:length] for length in range(1, len(segments) + 1))
        what = next((own[start] for start in beginnings if start in own), "")
        if not what or not each.startswith("files:") or fault(each):
            return ""
    return what


def _place(topology: Topology, node: Node) -> Path:
    """Where the first pattern of an item's scope is written: with it, or with who hands it on."""
    holders: list[tuple[Path, Written]] = []
    above: Node | None = node
    while above is not None:
        holders.append((above.path, above.own))
        above = above.parent
    parties = (node.contract, node.agent)
    holders += [(party.path, party.written) for party in parties if party is not None]
    holders.append(((), topology.data))
    text = node.writes[0]
    return next(
        (*path, "scope", written["scope"].index(text))
        for path, written in holders
        if text in written.get("scope", ())
    )


def _finding(path: Path, message: str) -> Finding:
    hint = "write a folder of the item's own, such as  files:out/**"
    return Finding(RULE, Spot(path, note="nobody but forge writes it"), message, hint)
