"""Cycles, references to nothing, and the order of what is found."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from forge_cli.app.validate import check_file
from tests.field_reports.processes import Forge

HEAD = "forge: 1\nwork_items:\n"


def ring(*names: str, more: str = "") -> str:
    """Items of which each waits for the next, and the last for the first."""
    following = [*names[1:], names[0]]
    return HEAD + "".join(
        f"  {name}: {{run: [x], capabilities: [], depends_on: [{other}]{more}}}\n"
        for name, other in zip(names, following, strict=True)
    )


def findings(forge: Forge, text: str) -> list[dict[str, Any]]:
    """What is found in one file."""
    forge.write("m.yaml", text)
    found: list[dict[str, Any]] = json.loads(forge("validate", "--format", "json", "m.yaml").out)[
        "findings"
    ]
    return found


def test_a_reference_to_no_item_is_a_fault(forge: Forge) -> None:
    """docker/compose#8910, laravel/sail#431: an undefined service was ignored."""
    text = HEAD + "  a: {run: [x], capabilities: [], depends_on: [does-not-exist]}\n"
    (found,) = findings(forge, text)
    assert (found["rule"], found["line"]) == ("unknown-reference", 3)
    assert "'does-not-exist'" in found["message"]


@pytest.mark.parametrize("names", [("a",), ("a", "b"), tuple("abcdefgh")])
def test_a_ring_is_found_before_anything_runs(forge: Forge, names: tuple[str, ...]) -> None:
    """LightForm-group/matflow#88, fkie-cad/FACT_core#187: all-cyclic graphs escaped the check."""
    found = findings(forge, ring(*names))
    assert {f["rule"] for f in found} == {"dependency-cycle"}
    assert "waits for itself" in found[0]["message"]


def test_a_ring_that_is_tried_once_each_does_not_hang(forge: Forge) -> None:
    """go-task/task#2302: a cycle with a run-once option hung."""
    forge.write("m.yaml", ring("a", "b", more=", when: 'inputs == `null`'"))
    said = forge("run", "m.yaml")
    assert said.code == 2
    assert "dependency-cycle" in said.err


def test_findings_come_in_the_order_of_files_and_places(forge: Forge) -> None:
    """astral-sh/ty#1670, corbado/corbado-nodejs#24: the order changed from run to run."""
    for name in "ba":
        forge.write(
            f"{name}.forge.yaml", HEAD + "  a: {run: [x], capabilities: [], zz: 1, aa: 2}\n"
        )
    found = json.loads(forge("validate", "--format", "json").out)["findings"]
    places = [(f["path"], f["line"], f["column"], f["rule"]) for f in found]
    assert len(places) == 4
    assert places == sorted(places)


def test_the_output_is_the_same_in_any_order_and_spelling_of_the_paths(forge: Forge) -> None:
    """corbado/corbado-nodejs#24, broadinstitute/seqr#5010, of a whole command line."""
    for name in ("b/x.forge.yaml", "a.forge.yaml"):
        forge.write(name, HEAD + "  a: {run: [x], capabilities: [], zz: 1}\n")
    (forge.folder / "link").symlink_to("b/x.forge.yaml")
    lines = [
        ["a.forge.yaml", "b"],
        ["b", "a.forge.yaml"],
        ["b", "b/x.forge.yaml", "a.forge.yaml", "link"],
        ["link", "b/../a.forge.yaml", "./a.forge.yaml", "b", "a.forge.yaml"],
    ]
    outputs = {forge("validate", *words, env={"PYTHONHASHSEED": "random"}).out for words in lines}
    assert len(outputs) == 1


def test_the_verdict_is_the_same_in_16_threads() -> None:
    """reearth/reearth-flow#2155: one in four runs of a valid file was flagged."""
    schema = "schemas: {x@1: {type: object, properties: {result: {pattern: '^a+$'}}}}\n"
    sound = HEAD + "  a: {run: [x], capabilities: [], completion: 'schema:x@1'}\n" + schema
    faulty = sound.replace("'schema:x@1'", "'schema:x@2'")
    texts = [sound.encode(), faulty.encode()] * 200

    def rules(text: bytes) -> tuple[str, ...]:
        return tuple(finding.rule for finding in check_file("m.yaml", text).findings)

    with ThreadPoolExecutor(16) as pool:
        verdicts = list(pool.map(rules, texts))
    assert set(verdicts[::2]) == {()}
    assert len(set(verdicts[1::2])) == 1
    assert verdicts[1]
