"""Inputs given on the command line."""

from pathlib import Path

import pytest

from forge_cli.app.inputs import bind, read_file, read_pairs
from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Input, Plan


def plan(**inputs: Input) -> Plan:
    """A plan that has nothing but inputs."""
    return Plan("fix", "0.0.0", {}, {}, {}, inputs=inputs)


def test_a_pair_is_split_at_its_first_equals_sign() -> None:
    assert read_pairs(["issue=482", "query=a=b", "empty="]) == {
        "issue": "482",
        "query": "a=b",
        "empty": "",
    }


@pytest.mark.parametrize("pair", ["issue", "=482"])
def test_what_is_no_pair_is_refused(pair: str) -> None:
    with pytest.raises(ForgeError, match=f"--input '{pair}' is not KEY=VALUE"):
        read_pairs([pair])


@pytest.mark.parametrize(("pair", "name"), [("sources", "sources"), ("topic", "issue")])
def test_what_is_no_pair_is_answered_with_a_declared_name(pair: str, name: str) -> None:
    with pytest.raises(ForgeError, match=f"write  --input {name}=VALUE"):
        read_pairs([pair], ["issue", "sources"])


def test_a_key_given_twice_is_refused_with_both_values() -> None:
    with pytest.raises(ForgeError, match="issue is given twice: '1' and '2'"):
        read_pairs(["issue=1", "issue=2"])


def test_defaults_hold_where_nothing_is_given() -> None:
    assert bind(plan(who=Input(False, "world")), {}) == {"who": "world"}
    assert bind(plan(who=Input(False, "world")), {"who": "moon"}) == {"who": "moon"}


def test_an_unknown_input_is_refused_and_the_known_ones_named() -> None:
    with pytest.raises(ForgeError, match="'fix' has no input 'isue'; it has: 'issue'"):
        bind(plan(issue=Input(True)), {"isue": "1"})


def test_a_missing_input_is_refused_with_what_to_type() -> None:
    with pytest.raises(ForgeError, match=r"'fix' needs input 'issue'; give  --input issue=\.\.\."):
        bind(plan(issue=Input(True)), {})


def test_without_a_type_a_value_stays_text() -> None:
    assert bind(plan(issue=Input(True)), {"issue": "482"}) == {"issue": "482"}


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("string", "3", "3"),
        ("integer", "3", 3),
        ("number", "2.5", 2.5),
        ("boolean", "true", True),
        ("array", '["a", 1]', ["a", 1]),
        ("object", '{"a": 1}', {"a": 1}),
    ],
)
def test_a_declared_type_makes_the_value(kind: str, text: str, value: object) -> None:
    assert bind(plan(x=Input(True, type=kind)), {"x": text}) == {"x": value}


def test_without_a_type_that_of_the_default_counts() -> None:
    assert bind(plan(n=Input(False, 3)), {"n": "4"}) == {"n": 4}
    assert bind(plan(b=Input(False, False)), {"b": "true"}) == {"b": True}


@pytest.mark.parametrize(
    ("kind", "text", "typed"),
    [
        ("integer", "true", "x=3"),
        ("integer", "2.5", "x=3"),
        ("number", "NaN", "x=3"),
        ("boolean", "yes", "x=true"),
        ("array", "[", """'x=["a", "b"]'"""),
        ("array", "a", """'x=["a"]'"""),
        ("array", "a,b", """'x=["a", "b"]'"""),
        ("object", "a", """'x={"name": "value"}'"""),
    ],
)
def test_a_value_of_another_type_is_refused_with_both_and_what_to_type(
    kind: str, text: str, typed: str
) -> None:
    with pytest.raises(ForgeError) as refusal:
        bind(plan(x=Input(True, type=kind)), {"x": text})
    assert str(refusal.value) == (
        f"input 'x' is to be of type {kind}, '{text}' is not; write  --input {typed}"
    )


def test_what_is_given_comes_before_the_file_and_the_file_before_defaults(tmp_path: Path) -> None:
    file = tmp_path / "inputs.json"
    file.write_text('{"a": "file", "b": "file"}')
    declared = plan(a=Input(True), b=Input(True), c=Input(False, "default"))
    assert bind(declared, {"a": "given"}, read_file(file)) == {
        "a": "given",
        "b": "file",
        "c": "default",
    }


def test_a_value_in_the_file_must_be_of_its_type(tmp_path: Path) -> None:
    file = tmp_path / "inputs.json"
    file.write_text('{"n": "3"}')
    with pytest.raises(ForgeError, match="input 'n' is to be of type integer, '\"3\"' is not"):
        bind(plan(n=Input(True, type="integer")), {}, read_file(file))


@pytest.mark.parametrize(
    ("content", "fault"),
    [("{", "cannot be read: "), ("[]", "is to hold one JSON object"), ("NaN", "NaN is not JSON")],
)
def test_a_file_that_is_no_object_is_refused(tmp_path: Path, content: str, fault: str) -> None:
    file = tmp_path / "inputs.json"
    file.write_text(content)
    with pytest.raises(ForgeError, match=fault):
        read_file(file)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ForgeError, match=r"none\.json' cannot be read: .*No such file"):
        read_file(tmp_path / "none.json")
