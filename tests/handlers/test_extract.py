"""Usage, outputs and success are read out of a program's JSON, exactly."""

import pytest

from forge_cli.handlers.answers import AnswerError
from forge_cli.handlers.extract import Extract, amount


@pytest.mark.parametrize(
    ("dollars", "micro"),
    [(0, 0), (1, 1_000_000), (0.1, 100_000), ("0.000001", 1), (2.675, 2_675_000), (0.0000001, 1)],
)
def test_dollars_become_micro_dollars_and_a_part_counts_whole(dollars: object, micro: int) -> None:
    assert amount("cost_usd", dollars) == micro


@pytest.mark.parametrize("value", [-1, "many", True, [1], {}, 1.5, "NaN", "Infinity", 1e300])
def test_what_is_no_amount_is_refused(value: object) -> None:
    with pytest.raises(AnswerError, match=r"it reports tokens .* which is no amount"):
        amount("tokens", value)


def test_without_expressions_the_document_is_the_output() -> None:
    assert Extract({}).outputs({"a": 1}) == {"a": 1}
    assert Extract({}).objection({"a": 1}) is None
    assert Extract({}).usage({"tokens": 1}) == {}


@pytest.mark.parametrize("value", [None, False, 0, "", "yes", 1, [], {}])
def test_only_true_is_success(value: object) -> None:
    assert Extract({"ok": "done"}).objection({"done": value})


def test_true_is_success() -> None:
    assert Extract({"ok": "done"}).objection({"done": True}) is None


def test_an_expression_that_fails_on_the_document_is_refused() -> None:
    with pytest.raises(AnswerError, match="`length"):
        Extract({"outputs": "length(n)"}).outputs({"n": 1})
