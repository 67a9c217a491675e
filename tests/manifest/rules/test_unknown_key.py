"""How an unknown key is told."""

from forge_cli.manifest.check import check
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse


def only(text: str) -> Finding:
    found = [each for each in check(parse(text.encode()), "x.yaml") if each.rule == "unknown-key"]
    assert len(found) == 1
    return found[0]


def item(line: str) -> Finding:
    return only(f"""\
forge: 1
work_items:
  build: {{run: [make], capabilities: []}}
  review:
    run: [make, check]
    capabilities: []
    {line}
""")


def test_another_tools_word_is_named_as_such() -> None:
    finding = item("needs: [build]")
    assert finding.message == "unknown key 'needs' in item 'review'"
    assert finding.spot.note == "GitHub's word; forge says 'depends_on'"
    assert finding.hint == "write  depends_on: [build]"


def test_an_order_that_a_reference_gives_already_needs_no_key() -> None:
    finding = item('needs: [build]\n    with: {made: "${items.build.outputs.result}"}')
    assert finding.hint == (
        "write  depends_on: [build]\nthe reference in 'with' already orders the two"
    )


def test_a_typing_error_is_recognised() -> None:
    finding = item("onfailure: escalate")
    assert finding.spot.note == "did you mean 'on_failure'?"
    assert finding.hint == "write  on_failure: escalate"


def test_what_is_written_already_is_not_suggested_a_second_time() -> None:
    assert item("needs: []\n    depends_on: [build]").hint == "add it to 'depends_on'"


def test_a_key_of_another_place_says_where_it_belongs() -> None:
    hint = only("forge: 1\non_failure: fail\nwork_items: {a: {run: [x], capabilities: []}}\n").hint
    assert hint.startswith(
        "'on_failure' is a key of delegations, items and sub-tasks: "
        "write it there, or delete it\nknown here:"
    )


def test_a_word_like_no_key_has_no_suggestion() -> None:
    finding = only("forge: 1\nzzz: 1\nwork_items: {a: {run: [x], capabilities: []}}\n")
    assert finding.spot.note == ""
    assert finding.hint.startswith("known here: budget, ")


def test_one_at_the_top_stands_in_nothing_that_could_have_swallowed_it() -> None:
    text = "forge: 1\nwork_items: {a: {run: [a], capabilities: []}}\nspare: {budget: {tokens: 1}}\n"
    assert only(text).message == "unknown key 'spare' in the manifest"
