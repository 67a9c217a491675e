"""Encodings, sizes and names: whatever a terminal or a disk can hold."""

import json

import pytest

from tests.field_reports.processes import Forge

HELLO = "forge: 1\nwork_items:\n  hello: {run: [echo, 'grüße 東京'], capabilities: []}\n"


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONIOENCODING": "cp1252"},
        {"PYTHONIOENCODING": "cp950"},
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=str,
)
def test_no_encoding_stops_a_command(forge: Forge, env: dict[str, str]) -> None:
    """Textualize/rich#3764, teng-lin/notebooklm-py#318, MervinPraison/PraisonAI#3605."""
    forge.write("m.forge.yaml", HELLO)
    forge.write("bad.yaml", HELLO + "  größe: {}\n")
    for arguments in (["--help"], ["plan"], ["run"], ["show"], ["explain", "scope"]):
        said = forge(*arguments, env=env)
        assert (said.code, "Traceback" in said.err) == (0, False), arguments
    assert forge("validate", "bad.yaml", env=env).code == 1


def test_two_forms_of_one_name_are_never_two_roles(forge: Forge) -> None:
    """globalwordnet/english-wordnet#1107, apache/beam#14502: NFC and NFD differed."""
    roles = "roles:\n" + "".join(
        f'  "{name}": {{capabilities: [], handler: {{kind: command, argv: [x]}}}}\n'
        for name in ("caf\u00e9", "cafe\u0301")
    )
    forge.write("m.yaml", HELLO + roles)
    said = json.loads(forge("validate", "--format", "json", "m.yaml").out)["findings"]
    assert [f["line"] for f in said if f["rule"] == "id-not-slug"] == [5, 6]


def test_ids_that_only_some_disks_tell_apart_are_none(forge: Forge) -> None:
    """cncf/landscape2#838: two ids collapsed to one file name."""
    items = "".join(
        f"  {name}: {{run: [echo, x], capabilities: []}}\n" for name in ("a-b", "a_b", "a.b", "A")
    )
    forge.write("m.yaml", "forge: 1\nwork_items:\n" + items)
    said = json.loads(forge("validate", "--format", "json", "m.yaml").out)["findings"]
    assert [(f["rule"], f["line"]) for f in said] == [("id-not-slug", 5), ("id-not-slug", 6)]


def test_an_output_too_large_to_travel_is_kept_by_its_digest(forge: Forge) -> None:
    """coleam00/Archon#2732 (review): a spill file was rewritten in place and read by half."""
    forge.write(
        "m.forge.yaml",
        "forge: 1\nwork_items:\n"
        "  a: {script: 'head -c 400000 /dev/zero | tr \"\\0\" x', capabilities: []}\n"
        "  b: {script: 'printf %s \"$INPUT_TEXT\" | wc -c', capabilities: [],\n"
        "      with: {text: '${items.a.outputs.result}'}}\n",
    )
    assert forge("run", "m.forge.yaml").code in (0, 1)
    kept = forge.record()["items"]["a"]["output"]["result"]
    assert kept["bytes"] == 400_002
    assert forge("verify", "evidence").code == 0
    (file,) = (f for f in forge.folder.glob("evidence/m/*/items/a/*") if f.stat().st_size > 300_000)
    file.write_bytes(file.read_bytes()[:-1])
    assert forge("verify", "evidence").code == 1
