"""Manifests that are run as a person would run them, and what became of them."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main


@dataclass(frozen=True)
class Ran:
    """A run that has ended: its exit code, what was printed, and its evidence."""

    code: int
    out: str
    err: str
    evidence: Path

    @property
    def said(self) -> str:
        """All that was printed on one line, without the exit code at the border of the verdict."""
        printed = re.sub(r"  +exit \d+$", "", self.out + self.err, flags=re.MULTILINE)
        return " ".join(printed.split())

    def document(self, name: str) -> Any:
        assert self.evidence.exists(), self.said
        return json.loads((self.evidence / name).read_text("utf-8"))

    @property
    def items(self) -> dict[str, dict[str, Any]]:
        """What `run.json` says of each item."""
        found: dict[str, dict[str, Any]] = self.document("run.json")["items"]
        return found

    def statuses(self) -> dict[str, str]:
        return {name: item["status"] for name, item in self.items.items()}

    def events(self, kind: str, item: str = "") -> list[dict[str, Any]]:
        """The bodies of the events of a kind, of one item if it is named."""
        lines = (self.evidence / "events.jsonl").read_text("utf-8").splitlines()
        events = [json.loads(line) for line in lines]
        return [e["body"] for e in events if e["kind"] == kind and item in ("", e.get("item"))]

    def output(self, item: str) -> Any:
        """What the item returned in the end."""
        return self.items[item]["output"]


RunManifest = Callable[..., Ran]
Forge = Callable[..., tuple[int, str, str]]


@pytest.fixture
def forge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Forge:
    """A command line in an empty folder: exit code, standard output, standard error."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FORGE_SANDBOX", "off")  # handlers tell by files what became of them

    def call(*arguments: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(list(arguments))
        printed = capfd.readouterr()
        return code, printed.out, printed.err

    return call


@pytest.fixture
def run(forge: Forge, tmp_path: Path) -> RunManifest:
    """Writes a manifest with the files beside it and runs it; `forge verify` must agree with it."""

    def of(text: str, *arguments: str, files: Mapping[str, str] | None = None) -> Ran:
        (tmp_path / "m.yaml").write_text("forge: 1\n" + text, "utf-8")
        for name, content in (files or {}).items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(content, "utf-8")
        code, out, err = forge("run", "m.yaml", "--run-id", "r", *arguments)
        evidence = tmp_path / "evidence" / "m" / "r"
        if evidence.exists():
            assert forge("verify", str(evidence))[0] == 0
        return Ran(code, out, err, evidence)

    return of
