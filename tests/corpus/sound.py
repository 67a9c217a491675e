"""The sound corpus: manifests in which there is nothing to find, each with the files beside it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from forge_cli.app.validate import report
from forge_cli.manifest.check import subject_of
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse
from forge_cli.manifest.rules import RULES
from tests.manifest.rules.examples import examples_of

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (ROOT / "tests/corpus/data/sound", ROOT / "tests/manifest/examples_ok")
SHIPPED = ROOT / "manifests"
NOW = 1_790_000_000_000
"""A day in September 2026, in milliseconds: before every deadline that the corpus names."""


@dataclass(frozen=True, slots=True)
class Sound:
    """A manifest: its text, and what lies beside it in `folder` or only in memory (`files`)."""

    name: str
    text: str
    folder: Path | None = None
    files: Mapping[str, bytes] = field(default_factory=dict)

    def findings(self, text: str) -> list[Finding]:
        """What is found in this text, if it is what the manifest holds."""
        data = text.encode()
        path = self.name if self.folder is None else str(self.folder / self.name)
        files = Files(self.folder, self.files)
        return list(report(subject_of(parse(data), path, NOW, files), data).findings)


@cache
def corpus() -> tuple[Sound, ...]:
    """All of them: small ones, whole jobs, the shipped ones, and the good examples of the rules."""
    paths = [path for folder in FOLDERS for path in sorted(folder.glob("*.forge.yaml"))]
    paths += [path for path in sorted(SHIPPED.rglob("*.yaml")) if _is_manifest(path)]
    on_disk = (Sound(path.name, path.read_text("utf-8"), path.parent) for path in paths)
    # Several rules have the same good example.
    return tuple({each.text: each for each in (*on_disk, *_good_examples())}.values())


def _is_manifest(path: Path) -> bool:
    """A file of shared roles is none."""
    return "\nforge: 1\n" in f"\n{path.read_text('utf-8')}"


def _good_examples() -> Iterator[Sound]:
    for rule in RULES:
        good = examples_of(rule).get("Good")
        # Plug-ins would have to be installed.
        if good and not any(".dist-info/" in name for name in good.files):
            yield Sound(f"good {rule}", good.text.decode(), files=good.files)
