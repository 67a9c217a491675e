"""A result leaves its handler without the values of secrets."""

from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers.masks import masked
from forge_cli.multiagent.turn import TurnResult

REDACTOR = Redactor({"TOKEN": "done-result"})


def test_every_text_of_a_result_is_redacted() -> None:
    text = "a done-result b"
    result = TurnResult(
        "yields",
        output={"a": [text]},
        evidence={"e": text},
        effects=(text,),
        message=text,
        partial={text: 1},
        state=[text],
        posts=({"p": text},),
        requests=({"r": text},),
    )
    clean = masked(result, REDACTOR, ("a",))
    assert "done-result" not in repr(clean)
    assert clean.output == {"a": ["a *** b"]}
    assert clean.posts == ({"p": "a *** b"},)


def test_what_forge_itself_says_stays_whatever_the_secret_is() -> None:
    result = TurnResult.done({"result": 1}, usage={"tokens": 1}, captured={"stdout": "sha256:0"})
    assert (
        masked(result, Redactor({"A": "result", "B": "tokens", "C": "done"}), ("result",)) == result
    )


def test_an_output_key_that_the_contract_does_not_name_is_redacted() -> None:
    clean = masked(TurnResult.done({"done-result": 1}), REDACTOR, ("result",))
    assert clean.output == {"***": 1}


def test_a_dimension_of_usage_that_there_is_not_is_redacted() -> None:
    clean = masked(TurnResult.done({}, usage={"done-result": 1, "tokens": 2}), REDACTOR, ())
    assert clean.usage == {"***": 1, "tokens": 2}


def test_without_secrets_the_result_is_the_same_object() -> None:
    result = TurnResult.done({"a": 1})
    assert masked(result, Redactor({}), ()) is result
