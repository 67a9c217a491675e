"""The head of a run's evidence: the one line that, kept elsewhere, vouches for all of it."""

import re
from dataclasses import dataclass
from typing import Self

WORD = "forge-evidence-head"
"""What the last line of a run begins with."""

_FORM = re.compile(rf"(?:{WORD}\s+)?([0-9a-fA-F]{{64}})(?:\s+([0-9]{{1,18}}))?")


@dataclass(frozen=True, slots=True)
class Head:
    """RFC 6962 root over the lines of `events.jsonl`, in hex, and their number if it is known."""

    root: str
    size: int | None = None

    @classmethod
    def parse(cls, text: str) -> Self:
        """The head in a text: the whole last line of a run, root and size, or the root alone.

        Raises `ValueError` with a sentence for anything else.
        """
        match = _FORM.fullmatch(text.strip())
        if match is None:
            raise ValueError(
                f"{text[:80]!r} is not a head; give the 64 hex digits behind '{WORD}' in the log "
                "of the run, or that whole line"
            )
        return cls(match[1].lower(), int(match[2]) if match[2] else None)

    def __str__(self) -> str:
        return f"{WORD} {self.root} {self.size}"
