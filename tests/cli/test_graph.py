"""`forge graph`: what is drawn, in each language, and that the language's own program takes it."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forge_cli.__main__ import main
from forge_cli.app.graph import graph
from forge_cli.app.plan import compiled
from forge_cli.cli.labels import Labels
from forge_cli.cli.terminal import Terminal
from forge_cli.manifest.meaning.topology import Topology

DATA = Path(__file__).parent / "data"
MANIFEST = DATA / "graph.forge.yaml"

Forge = Callable[..., str]


@pytest.fixture
def forge(capsys: pytest.CaptureFixture[str]) -> Forge:
    """What `forge graph` prints for the manifest that has everything in it."""

    def printed(*words: str) -> str:
        assert main(["graph", str(MANIFEST), *words]) == 0
        return capsys.readouterr().out

    return printed


def labels() -> list[str]:
    """The texts of all nodes, in no language of drawings; lines are joined by blanks."""
    found = compiled(MANIFEST, 0)
    assert found.plan is not None
    drawn = graph(found.plan, Topology(found.data, found.origins))
    items = [node for item in drawn.items for node in (item, *item.parts)]
    every = Labels(Terminal(), details=True)
    return sorted(" ".join(every.lines(node)) for node in (*items, *drawn.roles))


@pytest.mark.parametrize(("form", "file"), [("mermaid", "graph.mmd"), ("dot", "graph.dot")])
def test_everything_is_drawn_in_manifest_order(forge: Forge, form: str, file: str) -> None:
    assert forge("-v", "--format", form) == (DATA / file).read_text("utf-8")


@pytest.mark.parametrize("form", ["mermaid", "dot"])
def test_titles_alone_are_drawn_when_little_is_asked_for(forge: Forge, form: str) -> None:
    drawn = forge("-q", "--format", form)
    assert "subgraph.o-x" in drawn
    assert "default@4, audit" not in drawn
    assert "when" not in drawn


@pytest.mark.parametrize(("form", "entity"), [("mermaid", "#28450;"), ("dot", "&#28450;")])
def test_what_a_terminal_cannot_show_is_the_languages_own_entity(
    form: str, entity: str, monkeypatch: pytest.MonkeyPatch, capsysbinary: Any
) -> None:
    monkeypatch.setenv("FORGE_ASCII", "1")
    assert main(["graph", str(MANIFEST), "-v", "--format", form]) == 0
    printed = capsysbinary.readouterr().out
    assert printed.isascii()
    assert entity.encode() in printed


def test_a_manifest_with_faults_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "m.yaml").write_text("forge: 1\nwork_items: {a: {needs: []}}\n")
    assert main(["graph", str(tmp_path / "m.yaml")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "is not valid, so there is no plan of it" in said.err


def test_another_language_is_refused_by_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", str(MANIFEST), "--format", "svg"]) == 2
    assert "'svg' is not one of mermaid, dot" in capsys.readouterr().err


@pytest.mark.npm
def test_mermaid_reads_what_was_meant(forge: Forge, npm: Callable[..., Path]) -> None:
    said = subprocess.run(
        ["node", "--input-type=module", "--eval", (DATA / "mermaid.mjs").read_text("utf-8")],
        cwd=npm("mermaid@11.17.2", "jsdom@29.1.1"),
        input=forge("-v"),
        capture_output=True,
        text=True,
        check=True,
    )
    read = json.loads(said.stdout)
    del read["nodes"]["roles"]
    shown = (html.unescape(re.sub("<br/?>", " ", text)) for text in read["nodes"].values())
    assert sorted(shown) == labels()
    assert len(read["edges"]) == 8
    assert ["r1", "r2", "audit"] in read["edges"]


def test_graphviz_reads_what_was_meant(forge: Forge) -> None:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz is not installed (Debian: apt-get install graphviz)")
    drawn = forge("-v", "--format", "dot")
    said = subprocess.run(["dot", "-Tsvg"], input=drawn, capture_output=True, text=True, check=True)
    assert said.stderr == ""
    space = "{http://www.w3.org/2000/svg}"
    groups = ET.fromstring(said.stdout).iter(f"{space}g")
    shown = {
        (group.get("class"), " ".join(text.text or "" for text in group.findall(f"{space}text")))
        for group in groups
    }
    nodes = sorted(text for kind, text in shown if kind in ("node", "cluster") and text != "roles")
    assert nodes == labels()
    assert ("edge", "audit") in shown


def test_the_drawing_is_the_same_whatever_the_seed_of_hashes(forge: Forge) -> None:
    drawn = {
        subprocess.run(
            [sys.executable, "-m", "forge_cli", "graph", MANIFEST],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in "0123"
    }
    assert drawn == {forge().encode()}
