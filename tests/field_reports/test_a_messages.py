"""Faults and messages of validation that sent people the wrong way."""

import json
import time
from typing import Any

from tests.field_reports.processes import Forge

HELLO = "forge: 1\nwork_items:\n  hello:\n    run: [echo, hello]\n    capabilities: []\n"


def findings(forge: Forge, text: str | bytes) -> list[dict[str, Any]]:
    """What is found in one file, which must not be sound."""
    forge.write("m.yaml", text)
    said = forge("validate", "--format", "json", "m.yaml")
    assert said.code == 1
    found: list[dict[str, Any]] = json.loads(said.out)["findings"]
    return found


def test_no_finding_is_without_a_place(forge: Forge) -> None:
    """aaubry/YamlDotNet#120: a duplicate behind a merge was told at 0,0."""
    found = findings(forge, "a: &a {x: 1}\nb:\n  <<: *a\n  y: 1\n  y: 2\n")
    assert all(f["line"] > 0 and f["column"] > 0 for f in found)
    assert [5, 3] in [[f["line"], f["column"]] for f in found]


def test_a_list_of_roles_is_told_as_one(forge: Forge) -> None:
    """crewAIInc/crewAI#365: the wrong shape ended in an internal TypeError."""
    (found,) = findings(forge, HELLO + "roles: [a, b]\n")
    assert found["message"] == "expected mapping, found list for 'roles'"


def test_a_number_as_a_key_is_told_as_one(forge: Forge) -> None:
    """python-jsonschema/check-jsonschema#89: an integer key crashed the validator."""
    (found,) = findings(forge, HELLO + "roles: {12: {}}\n")
    assert found["message"] == "a key is text; '12' is a number"


def test_an_alias_bomb_is_refused_at_once(forge: Forge) -> None:
    """yaml/pyyaml#235, kislyuk/yq#134, nodeca/js-yaml#742: 272 bytes became 39 MB."""
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 7)]
    text = "\n".join(levels)
    began = time.monotonic()
    found = findings(forge, text)
    assert time.monotonic() - began < 10
    assert {f["rule"] for f in found} >= {"yaml-anchor"}


def test_an_empty_grant_is_valid(forge: Forge) -> None:
    """rhysd/actionlint#178: the safest value, an empty block, was refused."""
    forge.write("m.yaml", HELLO)
    assert forge("validate", "--strict", "m.yaml").code == 0


def test_a_schema_with_a_format_that_is_no_text_is_refused(forge: Forge) -> None:
    """python-jsonschema/jsonschema#624, #1278: accepted, and a traceback later."""
    schema = "{properties: {d: {format: [date, datetime]}}}"
    (found,) = findings(forge, HELLO + f"schemas: {{x@1: {schema}}}\n")
    assert (found["rule"], found["line"], found["column"]) == ("bad-schema", 6, 42)


def test_a_fault_on_standard_input_is_no_success(forge: Forge) -> None:
    """yannh/kubeconform#230: malformed YAML printed an error and ended with 0."""
    said = forge("validate", "-", stdin=b"a:\n  b: 1\n c: 2\n")
    assert said.code == 1
    assert said.out.startswith("<stdin>:3:2: error: ")


def test_template_braces_are_recognized(forge: Forge) -> None:
    """starter-workflows nowsecure*.yml: `{{ groupId }}` was told as an unhashable key."""
    (found,) = findings(forge, HELLO + "description: {{ groupId }}\n")
    assert found["hint"] == 'quote the template\'s braces: "{{ groupId }}"'


def test_a_formula_is_to_be_quoted(forge: Forge) -> None:
    """MAF EditTable*.yaml: `=[{id: 3}]` fails in one parser and passes in another."""
    (found,) = findings(forge, HELLO + "description: =[{id: 3}]\n")
    assert found["hint"] == 'quote the value: description: "=[{id: 3}]"'


def test_a_control_character_is_named(forge: Forge) -> None:
    """elastic/filebeat#151: the user had to bisect the file."""
    (found,) = findings(forge, HELLO + "description: a/\fb\n")
    assert found["message"].startswith("U+000C, a control character")


def test_a_chain_of_merge_keys_is_refused_at_once(forge: Forge) -> None:
    """yaml/pyyaml#897: merge keys with anchors as a sink for time."""
    levels = ["a0: &a0 {k: v}"]
    levels += [f"a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}], k{n}: v}}" for n in range(1, 18)]
    found = findings(forge, "\n".join(levels))
    assert {f["rule"] for f in found} >= {"yaml-anchor", "yaml-merge-key"}
