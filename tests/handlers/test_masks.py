"""A result leaves its handler without the values of secrets."""

import asyncio

import pytest

from forge_cli.gateway.secrets import Redactor
from forge_cli.handlers.context import Stopped
from forge_cli.handlers.masks import masked, unknowing
from forge_cli.multiagent.turn import Turn, TurnResult
from forge_cli.testing import a_turn

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


class Careless:
    """A handler that says what it should not, however it ends."""

    def __init__(self, stopped: bool) -> None:
        self.stopped, self.closed = stopped, False

    async def run(self, turn: Turn) -> TurnResult:
        result = TurnResult.failed("error", "it said hunter22")
        if self.stopped:
            raise Stopped(result)
        return result

    async def close(self) -> None:
        self.closed = True


@pytest.mark.parametrize("stopped", [True, False])
def test_what_a_handler_overlooks_is_masked_at_the_door_of_the_run(stopped: bool) -> None:
    careless = Careless(stopped)

    async def main() -> str:
        handler = unknowing(careless, Redactor({"TOKEN": "hunter22"}))
        try:
            return (await handler.run(a_turn())).message
        except Stopped as fault:
            return fault.result.message
        finally:
            await handler.close()

    assert asyncio.run(main()) == "it said ***"
    assert careless.closed


def test_where_no_secret_is_known_there_is_no_door() -> None:
    careless = Careless(stopped=False)
    assert unknowing(careless, Redactor({})) is careless
