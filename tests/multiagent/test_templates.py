"""References in values."""

from typing import Any

import pytest

from forge_cli.multiagent.templates import (
    Reference,
    TemplateError,
    fill,
    fill_argv,
    fill_settings,
    parse_template,
    references,
    to_text,
)

VALUES = {
    "${inputs.who}": "world",
    "${inputs.files}": ["a b", "c"],
    "${inputs.n}": 3,
    "${inputs.option}": "--force",
    "${each}": {"k": None},
}


def look_up(reference: Reference) -> Any:
    return VALUES[reference.text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${inputs.a_b-c}", Reference("${inputs.a_b-c}", "inputs", "a_b-c")),
        ("${state.k}", Reference("${state.k}", "state", "k")),
        ("${env.HOME}", Reference("${env.HOME}", "env", "HOME")),
        ("${items.x.outputs.y}", Reference("${items.x.outputs.y}", "items", "x", "y")),
        ("${items.x.0.outputs.y}", Reference("${items.x.0.outputs.y}", "items", "x.0", "y")),
        ("${items.x.status}", Reference("${items.x.status}", "items", "x", field="status")),
        ("${budget}", Reference("${budget}", "budget")),
        ("${budget.cost_usd}", Reference("${budget.cost_usd}", "budget", "cost_usd")),
        ("${each}", Reference("${each}", "each")),
    ],
)
def test_every_form_of_reference_is_read(text: str, expected: Reference) -> None:
    assert parse_template(text) == (expected,)


@pytest.mark.parametrize("text", ["${HOME}", "${{ x }}", "${items.x}", "${items.x.foo}", "${}"])
def test_what_is_no_reference_is_an_error_that_shows_it(text: str) -> None:
    with pytest.raises(TemplateError) as caught:
        parse_template(f"a {text} b")
    assert caught.value.token == text


def test_a_reference_that_is_not_closed_is_an_error() -> None:
    with pytest.raises(TemplateError, match="not closed"):
        parse_template("a ${inputs.x")


def test_doubled_dollars_are_literal() -> None:
    assert parse_template("a $${x} $y") == ("a ${x} $y",)
    assert parse_template("") == ("",)


def test_references_are_found_at_any_depth_of_a_value() -> None:
    value = {"a": ["x ${inputs.who} ${each}"], "b": 1, "c": ("${inputs.n}",), "d": "plain"}
    found = [reference.text for reference in references(value)]
    assert found == ["${inputs.who}", "${each}", "${inputs.n}"]


def test_a_whole_reference_keeps_its_type_and_an_embedded_one_becomes_text() -> None:
    filled = fill({"a": "${inputs.n}", "b": ["hello ${inputs.who}", 5]}, look_up)
    assert filled == {"a": 3, "b": ["hello world", 5]}
    assert fill("${inputs.n} of ${inputs.files}", look_up) == '3 of ["a b","c"]'


def test_literal_dollars_are_filled_in_as_written() -> None:
    assert fill("$${inputs.who}", look_up) == "${inputs.who}"


def test_a_list_as_a_whole_argument_becomes_one_token_each_and_nothing_is_split() -> None:
    argv = fill_argv(["ls", "${inputs.files}", "x${inputs.n}", "${inputs.n}"], look_up)
    assert argv == ["ls", "a b", "c", "x3", "3"]


def test_data_that_would_become_an_option_is_refused() -> None:
    with pytest.raises(ValueError, match="'--force' comes from"):
        fill_argv(["rm", "${inputs.option}"], look_up)
    assert fill_argv(["rm", "--x=${inputs.option}"], look_up) == ["rm", "--x=--force"]


def test_values_in_text_are_compact_json() -> None:
    assert to_text({"b": [1, None], "a": True}) == '{"a":true,"b":[1,null]}'
    assert to_text("as it is") == "as it is"


def test_a_value_that_says_it_is_kept_as_an_artifact_is_not_filled() -> None:
    with pytest.raises(ValueError, match="name one of the keys differently"):
        fill({"x": [{"artifact": "${run}", "bytes": 1}]}, lambda reference: "sha256:00")


def test_the_program_of_a_handler_or_of_its_servers_is_filled_as_arguments() -> None:
    config = {
        "argv": ["${inputs.files}"],
        "server": {"argv": ["serve", "${inputs.files}"], "env": {"N": "${inputs.n}"}},
        "servers": {"other": {"argv": ["${inputs.files}"]}},
        "settings": {"argv": "${inputs.who}"},
    }
    assert fill_settings(config, look_up) == {
        "argv": ["a b", "c"],
        "server": {"argv": ["serve", "a b", "c"], "env": {"N": 3}},
        "servers": {"other": {"argv": ["a b", "c"]}},
        "settings": {"argv": "world"},
    }
