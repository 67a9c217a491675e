"""`verification.json`: what was found when the evidence was verified."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from forge_cli.evidence import document
from forge_cli.evidence.checks import Check
from forge_cli.evidence.head import Head
from forge_cli.evidence.layout import FORMAT_VERSION, VERIFICATION
from forge_cli.ledger import durable
from forge_cli.multiagent.plan import Json

_HEAD = "head"


def write(folder: Path, checks: Sequence[Check]) -> None:
    """Write, or replace, the file; `ForgeError` if it cannot be done."""
    durable.write(folder / VERIFICATION, document.render(_document(checks)))


def noted(folder: Path) -> list[Check] | None:
    """The checks that the file says found something wrong; None if there is no file."""
    try:
        checks = document.parse((folder / VERIFICATION).read_bytes())["checks"]
        return [Check(each["name"], False, each["sentence"]) for each in checks if not each["ok"]]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as fault:
        return [Check("verification", False, f"{VERIFICATION} cannot be read: {fault}")]


def passed(checks: Sequence[Check]) -> bool:
    """Whether every check found what it was to find."""
    return all(check.ok for check in checks)


def of_head(found: Head, kept: Head | None) -> Check:
    """The check of the head that was found against one that was kept elsewhere."""
    root = f"root {found.root} over {found.size} events"
    if kept is None:
        return Check(
            _HEAD,
            True,
            f"{root}; no head was given to hold it against (`--head`), so a consistent rewrite "
            "would go unnoticed",
        )
    if kept.root == found.root and kept.size in (None, found.size):
        return Check(_HEAD, True, f"{root} is the head that was given")
    size = "" if kept.size is None else f" over {kept.size}"
    return Check(_HEAD, False, f"{root} is not the head that was given: {kept.root}{size}")


def changed(folder: Path, checks: Sequence[Check], head: Head) -> Iterator[Check]:
    """A check for a file that says anything else than that all of this was found.

    Whether a head was given may differ, and there may be no file.
    """
    try:
        data = (folder / VERIFICATION).read_bytes()
    except FileNotFoundError:
        return
    lines = []
    for given in (None, head):
        due = [of_head(head, given) if check.name == _HEAD else check for check in checks]
        lines.append(document.difference(data, document.render(_document(due))))
    places = [line for line in lines if line is not None]
    if len(places) == len(lines):
        sentence = (
            f"{VERIFICATION}:{max(places)}: this is not what is found now, which `--write` notes"
        )
        yield Check("verification", False, sentence)


def _document(checks: Sequence[Check]) -> dict[str, Json]:
    return {
        "format_version": FORMAT_VERSION,
        "ok": passed(checks),
        "checks": [{"name": c.name, "ok": c.ok, "sentence": c.sentence} for c in checks],
    }
