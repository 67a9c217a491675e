"""Behaviour, section 10: what is reserved, spent and denied."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from forge_cli.multiagent.budget import DIMENSIONS, Account, Amounts, Budget
from tests.programme import size


def test_the_dimensions_are_four() -> None:
    assert DIMENSIONS == ("model_calls", "cost_usd", "tokens", "tool_calls")


def test_absent_dimensions_are_not_limited() -> None:
    assert Budget(model_calls=3, tokens=0).limits() == {"model_calls": 3, "tokens": 0}


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_negative_budget_is_refused(dimension: str) -> None:
    with pytest.raises(ValueError, match=f"'{dimension}' must not be negative, not -1"):
        Budget(**{dimension: -1})


def test_of_three_children_that_ask_for_9_of_10_the_first_is_granted_and_the_others_denied() -> (
    None
):
    run = Account(Budget(model_calls=10))
    whole = Budget(model_calls=9).limits()
    started = []
    for child in ("first", "second", "third"):
        if run.ask(whole)[0] == "granted":
            run.reserve(whole)
            started.append(child)
    assert started == ["first"]
    assert run.free("model_calls") == 1


def test_five_children_cannot_all_pass_on_the_same_balance() -> None:
    run = Account(Budget(cost_usd=12_900_000))
    run.settle({}, {"cost_usd": 9_900_000})
    answers = []
    for _ in range(5):
        draw, _dimension = run.ask({"cost_usd": 1_000_000})
        answers.append(draw)
        if draw == "granted":
            run.reserve({"cost_usd": 1_000_000})
    assert answers == ["granted", "granted", "granted", "waits", "waits"]


def test_a_draw_that_only_reservations_hold_back_waits() -> None:
    run = Account(Budget(tokens=10))
    run.reserve({"tokens": 6})
    assert run.ask({"tokens": 5}) == ("waits", "tokens")
    run.settle({"tokens": 6}, {"tokens": 5})
    assert run.ask({"tokens": 5}) == ("granted", "")


def test_a_draw_that_can_never_be_met_is_denied() -> None:
    run = Account(Budget(tokens=10))
    run.settle({}, {"tokens": 6})
    assert run.ask({"tokens": 5}) == ("denied", "tokens")


def test_denied_in_one_dimension_is_denied() -> None:
    run = Account(Budget(tokens=10, model_calls=1))
    run.reserve({"tokens": 10})
    assert run.ask({"tokens": 1, "model_calls": 2}) == ("denied", "model_calls")


def test_a_budget_of_zero_allows_nothing() -> None:
    assert Account(Budget(tool_calls=0)).ask({"tool_calls": 1}) == ("denied", "tool_calls")


def test_nothing_is_always_granted() -> None:
    assert Account(Budget(tool_calls=0)).ask({"tool_calls": 0}) == ("granted", "")


def test_what_nobody_limits_is_granted_and_counted_at_the_top() -> None:
    run = Account(Budget())
    child = Account(Budget(model_calls=1), run)
    child.reserve({"tokens": 5})
    child.settle({"tokens": 5}, {"tokens": 3})
    assert child.free("tokens") is None
    assert run.spent["tokens"] == 3


def test_a_dimension_that_a_contract_does_not_limit_is_drawn_from_the_nearest_that_does() -> None:
    run = Account(Budget(tokens=10))
    middle = Account(Budget(tokens=4), run)
    child = Account(Budget(model_calls=1), middle)
    assert child.free("tokens") == 4
    child.reserve({"tokens": 4})
    assert (middle.reserved["tokens"], run.reserved["tokens"]) == (4, 0)


def test_what_was_not_used_comes_back() -> None:
    run = Account(Budget(cost_usd=100))
    run.reserve({"cost_usd": 60})
    run.settle({"cost_usd": 60}, {"cost_usd": 20})
    assert run.free("cost_usd") == 80


def test_usage_beyond_the_slice_is_settled_and_leaves_less_than_nothing() -> None:
    run = Account(Budget(cost_usd=10))
    run.reserve({"cost_usd": 10})
    run.settle({"cost_usd": 10}, {"cost_usd": 12})
    assert run.free("cost_usd") == -2
    assert run.ask({"cost_usd": 1}) == ("denied", "cost_usd")


@pytest.mark.parametrize("reserved", [0, 5])
def test_reserving_beyond_the_grant_is_refused(reserved: int) -> None:
    run = Account(Budget(tokens=10))
    run.reserve({"tokens": reserved})
    with pytest.raises(ValueError, match="beyond the grant: tokens of 11"):
        run.reserve({"tokens": 11})


def test_a_refused_reservation_holds_nothing() -> None:
    run = Account(Budget(tokens=10, model_calls=1))
    with pytest.raises(ValueError, match="beyond the grant"):
        run.reserve({"tokens": 5, "model_calls": 2})
    assert run.reserved == dict.fromkeys(DIMENSIONS, 0)


def test_negative_amounts_make_no_room() -> None:
    run = Account(Budget(tokens=10))
    with pytest.raises(ValueError, match="reserved must not be negative: tokens of -1"):
        run.reserve({"tokens": -1})
    with pytest.raises(ValueError, match="given back must not be negative: tokens of -1"):
        run.settle({"tokens": -1}, {})
    with pytest.raises(ValueError, match="used must not be negative: tokens of -1"):
        run.settle({}, {"tokens": -1})


def test_nothing_is_given_back_that_was_not_reserved() -> None:
    run = Account(Budget(tokens=10))
    run.reserve({"tokens": 4})
    with pytest.raises(ValueError, match="given back: tokens of 5, but 4 is reserved"):
        run.settle({"tokens": 5}, {})
    assert run.free("tokens") == 6


LIMITS = st.one_of(st.none(), st.integers(0, 20))
AMOUNTS = st.dictionaries(st.sampled_from(["model_calls", "tokens"]), st.integers(0, 12))


def nearest(account: Account, dimension: str) -> Account:
    """The account that limits the dimension; the topmost of the model limits both."""
    while dimension not in account.limits and account.parent is not None:
        account = account.parent
    return account


class Accounts(RuleBasedStateMachine):
    """Contracts that open below each other, draw, settle and close in any order."""

    def __init__(self) -> None:
        super().__init__()
        self.open = [Account(Budget(model_calls=20, tokens=20))]
        self.draws: list[tuple[Account, Amounts]] = []

    @rule(data=st.data(), model_calls=LIMITS, tokens=LIMITS)
    def start(self, data: st.DataObject, model_calls: int | None, tokens: int | None) -> None:
        above = data.draw(st.sampled_from(self.open))
        budget = Budget(model_calls=model_calls, tokens=tokens)
        if above.ask(budget.limits())[0] == "granted":
            above.reserve(budget.limits())
            self.open.append(Account(budget, above))

    @rule(data=st.data(), amounts=AMOUNTS)
    def draw(self, data: st.DataObject, amounts: Amounts) -> None:
        account = data.draw(st.sampled_from(self.open))
        if account.ask(amounts)[0] == "granted":
            account.reserve(amounts)
            self.draws.append((account, amounts))

    @precondition(lambda self: self.draws)
    @rule(data=st.data())
    def settle(self, data: st.DataObject) -> None:
        account, held = self.draws.pop(data.draw(st.integers(0, len(self.draws) - 1)))
        used = {d: data.draw(st.integers(0, amount)) for d, amount in held.items()}
        account.settle(held, used)

    @precondition(lambda self: len(self.open) > 1)
    @rule(data=st.data())
    def close(self, data: st.DataObject) -> None:
        account = data.draw(st.sampled_from(self.open[1:]))
        busy = [a for a, _ in self.draws] + [a.parent for a in self.open]
        if account.parent is not None and not any(account is other for other in busy):
            self.open = [a for a in self.open if a is not account]
            account.parent.settle(account.limits, {d: account.spent[d] for d in account.limits})

    @rule(data=st.data(), amounts=AMOUNTS)
    def ask(self, data: st.DataObject, amounts: Amounts) -> None:
        account = data.draw(st.sampled_from(self.open))
        payers = [(nearest(account, d), d, amount) for d, amount in amounts.items()]
        never = any(amount > payer.limits[d] - payer.spent[d] for payer, d, amount in payers)
        now = all(
            amount <= payer.limits[d] - payer.spent[d] - payer.reserved[d]
            for payer, d, amount in payers
        )
        assert account.ask(amounts)[0] == ("denied" if never else "granted" if now else "waits")

    @invariant()
    def spent_and_reserved_never_exceed_a_grant(self) -> None:
        for account in self.open:
            for dimension, limit in account.limits.items():
                assert account.spent[dimension] >= 0
                assert account.reserved[dimension] >= 0
                assert account.spent[dimension] + account.reserved[dimension] <= limit


TestAccounts = pytest.mark.programme(Accounts.TestCase)
TestAccounts.settings = settings(
    max_examples=size("steps") // 40, stateful_step_count=40, deadline=None
)
