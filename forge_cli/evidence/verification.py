"""`verification.json`: what was found when the evidence was verified."""

from collections.abc import Sequence
from pathlib import Path

from forge_cli.evidence import document
from forge_cli.evidence.checks import Check
from forge_cli.evidence.layout import FORMAT_VERSION, VERIFICATION
from forge_cli.ledger import durable
from forge_cli.multiagent.plan import Json


def write(folder: Path, checks: Sequence[Check]) -> None:
    """Write, or replace, the file; `ForgeError` if it cannot be done."""
    found: dict[str, Json] = {
        "format_version": FORMAT_VERSION,
        "ok": passed(checks),
        "checks": [{"name": c.name, "ok": c.ok, "sentence": c.sentence} for c in checks],
    }
    durable.write(folder / VERIFICATION, document.render(found))


def passed(checks: Sequence[Check]) -> bool:
    """Whether every check found what it was to find."""
    return all(check.ok for check in checks)
