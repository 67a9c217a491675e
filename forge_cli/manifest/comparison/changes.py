"""Changes: what differs between two manifests, how much it weighs, and where it is written."""

from dataclasses import dataclass
from typing import Literal

from forge_cli.manifest.findings import Spot

Weight = Literal["breaking", "behavioural", "compatible"]
Direction = Literal[
    "widened",
    "narrowed",
    "loosened",
    "tightened",
    "raised",
    "lowered",
    "changed",
    "added",
    "removed",
]
Side = Literal["old", "new"]

Key = tuple[str, str]
"""The kind of a part (`role`, `item`, ...) and its name: what makes two parts the same one."""

WEIGHTS: tuple[Weight, ...] = ("breaking", "behavioural", "compatible")
"""The heaviest first."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How two values of one aspect differ. `old` and `new` are texts as YAML has them on one line.

    `witness` says what shows it: the words that were added, an amount, a path. `follows` is true of
    what may only be the consequence of another change of the same part.
    """

    weight: Weight
    direction: Direction
    old: str = ""
    new: str = ""
    witness: str = ""
    follows: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One difference in meaning, at the part of the manifest that causes it.

    `part` names that part (`role 'reviewer'`), `aspect` what of it differs, and is empty where the
    part itself is new or gone. `old` and `new` are where that is written in each manifest, or the
    nearest thing; None where there is no such part. `side` is the one to look at first.
    """

    verdict: Verdict
    key: Key
    part: str
    aspect: str
    old: Spot | None
    new: Spot | None
    side: Side = "new"

    @property
    def sentence(self) -> str:
        """What happened, without the values."""
        if not self.aspect:
            return f"{self.part} is {'new' if self.verdict.direction == 'added' else 'gone'}"
        if self.key[0] == "schema":
            return f"{self.part} {self.verdict.direction}"
        return f"{self.aspect} of {self.part} {self.verdict.direction}"

    @property
    def kind(self) -> str:
        """The same as a word for programs: `scope-widened`."""
        aspect = self.key[0] if self.key[0] == "schema" else self.aspect or self.key[0]
        return f"{aspect.replace(' ', '-').replace('_', '-')}-{self.verdict.direction}"
