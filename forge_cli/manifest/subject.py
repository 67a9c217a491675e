"""What a rule looks at: one manifest, from its bytes' faults to its meaning."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import Source
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.shape.structure import Structure

if TYPE_CHECKING:
    from forge_cli.manifest.meaning.topology import Topology


class Subject:
    """One manifest under examination.

    `path` is the name that people know the file by; `now` is milliseconds since the epoch (UTC),
    or None if time is not to be judged. `found` is what all rules found, in its places, for the
    one that judges what was ignored. What is costly is computed when it is first asked for.
    """

    def __init__(
        self,
        source: Source,
        structure: Structure,
        path: str = "",
        now: int | None = None,
        files: Files | None = None,
        found: tuple[Finding, ...] = (),
    ) -> None:
        self.source = source
        self.structure = structure
        self.path = path
        self.now = now
        self.files = files or Files(None)
        self.found = found

    def after(self, found: Iterable[Finding]) -> "Subject":
        """The same manifest, when that is what all rules found."""
        return Subject(self.source, self.structure, self.path, self.now, self.files, tuple(found))

    @property
    def data(self) -> dict[str, Any]:
        """The manifest without unsound parts: any key may be missing, what is there is sound."""
        return self.structure.data

    @cached_property
    def topology(self) -> "Topology":
        """What the manifest means: who does what, under which contracts, in which order."""
        from forge_cli.manifest.meaning.topology import Topology

        return Topology(self.data, self.source.origins, open=not self.source.complete)

    def faults(self, rule: str) -> Iterator[Finding]:
        """What the reader of the YAML found under that rule."""
        return (fault for fault in self.source.faults if fault.rule == rule)

    def errors(self, rule: str) -> Iterator[StructureError]:
        """The structural faults of that rule."""
        return (error for error in self.structure.errors if error.rule == rule)
