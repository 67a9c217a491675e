"""Budgets: what may be spent, reserved before the work starts and settled when it ends."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Literal

Amounts = Mapping[str, int]
"""Dimension to amount. `cost_usd` is in micro-dollars, everything else in whole units."""

Draw = Literal["granted", "waits", "denied"]


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit for each dimension; None leaves a dimension to the contract above.

    `cost_usd` is in micro-dollars. Zero is a limit that allows nothing.
    """

    model_calls: int | None = None
    cost_usd: int | None = None
    tokens: int | None = None
    tool_calls: int | None = None

    def __post_init__(self) -> None:
        for dimension, amount in self.limits().items():
            if amount < 0:
                raise ValueError(f"budget {dimension!r} must not be negative, not {amount}")

    def limits(self) -> dict[str, int]:
        """The dimensions that this budget limits."""
        pairs = ((d, getattr(self, d)) for d in DIMENSIONS)
        return {dimension: amount for dimension, amount in pairs if amount is not None}


DIMENSIONS = tuple(field.name for field in fields(Budget))
DEFAULT_BUDGET = Budget(model_calls=100)


def used(held: Amounts, reported: Amounts | None, metered: Collection[str]) -> dict[str, int]:
    """What a turn is booked with: what it reported, and what must be assumed of the rest.

    Of a dimension that its handler meters and did not report, it is unknown what was used: then
    it was all that was held. Of any other nothing was used.
    """
    assumed = {d: amount if d in metered else 0 for d, amount in held.items()}
    return {**assumed, **(reported or {})}


class Account:
    """What one contract was granted, holds reserved and has spent, linked to the one above.

    A dimension that the account's budget does not limit is drawn from the nearest account above
    that limits it, or, where none does, is only counted by the topmost.
    """

    __slots__ = ("limits", "parent", "reserved", "spent")

    def __init__(self, budget: Budget, parent: "Account | None" = None) -> None:
        self.limits = budget.limits()
        self.parent = parent
        self.reserved = dict.fromkeys(DIMENSIONS, 0)
        self.spent = dict.fromkeys(DIMENSIONS, 0)

    def free(self, dimension: str) -> int | None:
        """What can still be reserved here, or None where no account up the chain limits it."""
        payer = self._payer(dimension)
        limit = payer.limits.get(dimension)
        if limit is None:
            return None
        return limit - payer.spent[dimension] - payer.reserved[dimension]

    def unspent(self, dimension: str) -> int | None:
        """What has not been spent, reserved or not, or None where no account limits it."""
        payer = self._payer(dimension)
        limit = payer.limits.get(dimension)
        return None if limit is None else limit - payer.spent[dimension]

    def ask(self, amounts: Amounts) -> tuple[Draw, str]:
        """Whether the amounts can be reserved now, and the dimension that decided it.

        `waits` if only the reservations of others stand in the way, `denied` if what is left
        unspent could never meet it.
        """
        answer: tuple[Draw, str] = ("granted", "")
        for dimension, amount in amounts.items():
            payer = self._payer(dimension)
            limit = payer.limits.get(dimension)
            if limit is None or not amount:
                continue
            unspent = limit - payer.spent[dimension]
            if amount > unspent:
                return "denied", dimension
            if amount > unspent - payer.reserved[dimension]:
                answer = ("waits", dimension)
        return answer

    def reserve(self, amounts: Amounts) -> None:
        """Hold the amounts; the caller has asked before. `ValueError` beyond what is free."""
        if not amounts:
            return
        _refuse_negative("reserved", amounts)
        draw, dimension = self.ask(amounts)
        if draw != "granted":
            raise ValueError(f"reserved beyond the grant: {dimension} of {amounts[dimension]}")
        for dimension, amount in amounts.items():
            self._payer(dimension).reserved[dimension] += amount

    def settle(self, held: Amounts, used: Amounts) -> None:
        """Give a reservation back and book what was used, be it more than was reserved.

        `ValueError` for a negative amount, or if less than `held` is reserved: either would make
        room that was never granted.
        """
        _refuse_negative("given back", held)
        _refuse_negative("used", used)
        for dimension, amount in held.items():
            reserved = self._payer(dimension).reserved[dimension]
            if amount > reserved:
                raise ValueError(f"given back: {dimension} of {amount}, but {reserved} is reserved")
        for dimension, amount in held.items():
            self._payer(dimension).reserved[dimension] -= amount
        for dimension, amount in used.items():
            self._payer(dimension).spent[dimension] += amount

    def _payer(self, dimension: str) -> "Account":
        account = self
        for account in self._chain():
            if dimension in account.limits:
                break
        return account

    def _chain(self) -> "Iterator[Account]":
        account: Account | None = self
        while account is not None:
            yield account
            account = account.parent


def _refuse_negative(what: str, amounts: Amounts) -> None:
    for dimension, amount in amounts.items():
        if amount < 0:
            raise ValueError(f"{what} must not be negative: {dimension} of {amount}")
