"""How a missing key is told."""

from forge_cli.manifest.check import check
from forge_cli.manifest.reading.source import parse


def test_grants_are_proposed_also_where_the_rest_of_the_role_is_not_sound() -> None:
    text = "forge: 1\nroles:\n  r:\n    kind: function\nwork_items: {}\n"
    found = {f.message: f.hint for f in check(parse(text.encode()), "x.yaml")}
    assert found["role 'r' has no 'capabilities'"].startswith(
        "write  capabilities: []  for nothing"
    )


def test_an_item_that_names_nobody_may_name_a_role() -> None:
    text = "forge: 1\nroles: {r: {capabilities: []}}\nwork_items: {a: {goals: x}}\n"
    found = {f.message: f.hint for f in check(parse(text.encode()), "x.yaml")}
    assert found["item 'a' has no 'capabilities'"].startswith(
        "write  role: ROLE  ('r'), or to have"
    )
