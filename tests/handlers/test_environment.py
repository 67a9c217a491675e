"""Handlers get what the allow-list and the manifest name, and nothing else of the caller's."""

import pytest

from forge_cli.handlers.environment import ALLOWED, VariablesError, as_text, base, of_inputs

CALLER = dict.fromkeys(ALLOWED, "caller's") | {
    "AWS_SECRET_ACCESS_KEY": "x",
    "SSH_AUTH_SOCK": "x",
    "LD_PRELOAD": "x",
    "PYTHONPATH": "x",
    "HTTPS_PROXY": "x",
    "FORGE_MAX_CONCURRENCY": "x",
    "TOKEN": "secret",
}


def test_only_the_allow_list_passes() -> None:
    assert base(CALLER, {}).keys() == {*ALLOWED, "CI"}


def test_there_is_always_a_path() -> None:
    assert base({}, {}).keys() == {"PATH", "CI"}


def test_the_manifest_adds_and_overrides() -> None:
    environment = base(CALLER, {"env": {"PATH": "/only", "N": 3}, "secrets": ["TOKEN"]})
    assert (environment["PATH"], environment["N"], environment["TOKEN"]) == ("/only", "3", "secret")


def test_a_secret_that_is_not_set_is_refused_by_name() -> None:
    with pytest.raises(VariablesError, match="'NOT_SET' is not set"):
        base(CALLER, {"secrets": ["NOT_SET"]})


def test_two_inputs_of_one_variable_are_refused() -> None:
    with pytest.raises(VariablesError, match="'a-b' and 'a_b' are both INPUT_A_B"):
        of_inputs({"a-b": 1, "a_b": 2})


@pytest.mark.parametrize(
    ("value", "text"), [("a", "a"), (None, "null"), (True, "true"), (["ü", 1], '["ü",1]')]
)
def test_texts_stay_and_all_else_is_json(value: object, text: str) -> None:
    assert as_text(value) == text
