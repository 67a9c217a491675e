"""Conditions in the manner of other languages, beyond the example of the rule."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse


def only(criterion: str) -> Finding:
    text = f"""\
forge: 1
roles:
  r: {{capabilities: [], outputs: [verdict, count], handler: {{kind: command, argv: [x]}}}}
work_items: {{a: {{role: r, criteria: [{criterion!r}]}}}}
"""
    (found,) = check(parse(text.encode()), "x.yaml")
    return found


@pytest.mark.parametrize(
    ("criterion", "token", "typed"),
    [
        ("count = 1", "=", "count == `1`"),
        ("count === 1", "===", "count == `1`"),
        ("count !== 1", "!==", "count != `1`"),
        ("count <> 1", "<>", "count != `1`"),
        ("count = 1 and verdict = `2`", "=", "count == `1` && verdict == `2`"),
        ("verdict or count", "or", "verdict || count"),
        ("not verdict", "not", "!verdict"),
    ],
)
def test_an_operator_of_another_language_is_translated(
    criterion: str, token: str, typed: str
) -> None:
    found = only(criterion)
    assert found.spot.token == token
    assert found.hint == f"write  {typed}"


def test_a_text_in_double_quotes_is_told_to_stand_in_single_ones() -> None:
    assert only('verdict == "approve"').hint == "a text stands in single quotes:  'approve'"


@pytest.mark.parametrize(
    ("word", "literal"),
    [("true", "`true`"), ("False", "`false`"), ("null", "`null`"), ("None", "`null`")],
)
def test_a_literal_without_backticks_is_told_to_stand_in_them(word: str, literal: str) -> None:
    found = only(f"verdict == {word}")
    assert (found.spot.token, found.hint) == (word, f"write  {literal}  with the backticks")


def test_an_expression_of_endless_length_is_refused() -> None:
    found = only("count == " + "`1`" * 1_400)
    assert found.message == "the expression has 4,209 characters, at most 4,096 may be"


@pytest.mark.parametrize(
    ("condition", "typed"),
    [
        ("build.status == 'accepted'", "items.build.status == 'accepted'"),
        ("build.outputs.kind", "items.build.outputs.kind"),
        ("fast", "inputs.fast"),
        ("needs.build.outputs.kind", "items.build.outputs.kind"),
    ],
)
def test_what_stands_below_a_root_is_told_with_it(condition: str, typed: str) -> None:
    text = f"""\
forge: 1
inputs: {{fast: {{type: boolean}}}}
work_items:
  build: {{run: [make], capabilities: [], outputs: [kind]}}
  test: {{run: [make, test], capabilities: [], when: {condition!r}}}
"""
    (found,) = check(parse(text.encode()), "x.yaml")
    assert found.hint == f"write  {typed}"


@pytest.mark.parametrize(
    ("condition", "typed"),
    [
        ('inputs.fast == "yes"', "inputs.fast == 'yes'"),
        ("inputs.fast == yes_sir || yes", "inputs.fast == 'yes_sir' || yes"),
        ('inputs.fast == "yes" and inputs.fast', "inputs.fast == 'yes' && inputs.fast"),
    ],
)
def test_a_name_that_is_compared_is_written_as_text(condition: str, typed: str) -> None:
    text = f"""\
forge: 1
inputs: {{fast: {{}}}}
work_items:
  test: {{run: [make, test], capabilities: [], when: {condition!r}}}
"""
    hints = [each.hint for each in check(parse(text.encode()), "x.yaml")]
    assert hints[0].partition("\n")[0] == f"write  {typed}"


def test_all_names_with_a_hyphen_are_quoted_and_texts_stay_as_they_are() -> None:
    assert only("a-b == 'c-d' and e-f").hint == """write  "a-b" == 'c-d' && "e-f\""""
