"""What an item may hand on while it goes on: never more than any link of its chain allows."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from forge_cli.multiagent.budget import DIMENSIONS, Account, Amounts, Budget
from forge_cli.multiagent.conflicts import RISK_ORDER
from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Grant, Json, Plan, Risk, Role
from forge_cli.multiagent.scope import contains
from forge_cli.multiagent.terms import HARMLESS_WORDS

MICRO = 1_000_000
"""Micro-dollars of a dollar."""

MOST_TEXTS = 64
"""Capabilities, and patterns of a scope, that one request may name."""

_READ = frozenset({"file-read"})

LARGEST = 2**53 - 1
"""The largest amount: events are I-JSON (RFC 7493)."""

_PLAIN = re.compile(r"[0-9]{1,16}(?:\.[0-9]{1,6})?")


class RefusedError(ValueError):
    """A request is not met; `kind` and the text are its answer.

    The text holds no amount that is left, which would differ from run to run: that is `left`.
    """

    def __init__(self, kind: str, reason: str, left: Amounts | None = None) -> None:
        super().__init__(reason)
        self.kind = kind
        self.left = left


@dataclass(frozen=True, slots=True)
class Terms:
    """What is granted to an item that another one asked for."""

    role: Role
    grant: Grant
    risk: Risk
    budget: Amounts


@dataclass(frozen=True, slots=True)
class _Link:
    """One holder of rights above the item, with the words for it."""

    words: str
    capabilities: frozenset[str]
    scope: tuple[str, ...]


def terms(plan: Plan, asker: Node, role: Role, asked: Mapping[str, Json]) -> Terms:
    """The terms of an item that `asker` wants done by the role, narrowed at every link.

    `asked` has `capabilities`, and may have `scope` and `budget`. `RefusedError` for what is
    malformed and for whatever goes beyond a link; nothing is trimmed to fit.
    """
    links = tuple(_links(plan, asker, role))
    capabilities = _capabilities(asked, links)
    scope = _scope(asked, links)
    actions = _actions(plan, capabilities) & asker.grant.actions
    writes = asker.grant.writes if "file-write" in actions else ()
    files = tuple(text for text in scope if text.startswith("files:"))
    grant = Grant(capabilities, actions, scope, meet(writes, files), role.outputs)
    return Terms(role, grant, _risk(plan, asker, grant), _budget(plan, asker, role, asked))


def meet(ours: tuple[str, ...], theirs: tuple[str, ...]) -> tuple[str, ...]:
    """The patterns of each that lie within the other: what both allow where they are nested."""
    within = [text for text in ours if contains(theirs, text).holds]
    within += [text for text in theirs if contains(ours, text).holds]
    return tuple(dict.fromkeys(within))


def texts(asked: Mapping[str, Json], key: str) -> tuple[str, ...]:
    """A list of texts in what is asked; `RefusedError` for anything else."""
    found = asked.get(key)
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise RefusedError("invalid-request", f"{key!r} must be a list of texts; [] is nothing")
    if len(found) > MOST_TEXTS:
        told = f"{key!r} has {len(found)} texts, at most {MOST_TEXTS} may be asked for at once"
        raise RefusedError("invalid-request", told)
    return tuple(found)


def _links(plan: Plan, asker: Node, role: Role) -> Iterator[_Link]:
    yield _Link("you do not hold", asker.grant.capabilities, asker.grant.scope)
    handed = plan.contracts.get(f"delegates:{asker.item.role_id}")
    if handed is not None and role.role_id != asker.item.role_id:
        held, scope = handed.capabilities or frozenset(), handed.scope or ()
        yield _Link("you may not hand on", held, scope)
    yield _Link(f"role {role.role_id!r} does not hold", role.capabilities, role.scope)


def _capabilities(asked: Mapping[str, Json], links: tuple[_Link, ...]) -> frozenset[str]:
    words = frozenset(texts(asked, "capabilities"))
    for link in links:
        if surplus := sorted(words - link.capabilities):
            raise RefusedError("denied", f"{link.words} the capability {surplus[0]!r:.80}")
    return words


def _scope(asked: Mapping[str, Json], links: tuple[_Link, ...]) -> tuple[str, ...]:
    if "scope" not in asked:
        # Absent is not narrowed here: what all links allow where they are nested.
        scope = links[0].scope
        for link in links[1:]:
            scope = meet(scope, link.scope)
        return scope
    wanted = texts(asked, "scope")
    for text in wanted:
        for link in links:
            _within(text, link)
    return wanted


def _within(text: str, link: _Link) -> None:
    try:
        inclusion = contains(link.scope, text)
    except ValueError as fault:
        raise RefusedError("invalid-request", str(fault)) from None
    if not inclusion.holds:
        raise RefusedError("denied", f"{link.words} all of the scope {text!r}")


def _actions(plan: Plan, capabilities: frozenset[str]) -> frozenset[str]:
    return frozenset().union(*(plan.vocabulary.get(word, ()) for word in capabilities))


def _risk(plan: Plan, asker: Node, grant: Grant) -> Risk:
    """Its own risk; the asker's, if that is greater and comes from something it may do as well."""
    harmful = _harmful(plan, grant)
    own: Risk = "reversible" if harmful else "read_only"
    # One that holds nothing harmful states its risk for whatever it does beside reading.
    source = _harmful(plan, asker.grant) or asker.grant.actions - _READ
    return max(own, asker.item.risk, key=RISK_ORDER.__getitem__) if grant.actions & source else own


def _harmful(plan: Plan, grant: Grant) -> frozenset[str]:
    return _actions(plan, grant.capabilities - HARMLESS_WORDS) & grant.actions - _READ


def _budget(plan: Plan, asker: Node, role: Role, asked: Mapping[str, Json]) -> Amounts:
    """What is reserved for it: what is asked for, else the least that any role behind it has."""
    wanted = _amounts(asked.get("budget", {}))
    roles = {f"role {each.role_id!r}": each for each in (plan.roles[asker.item.role_id], role)}
    least: dict[str, int] = {}
    for name, each in roles.items():
        for dimension, most in (each.budget.limits() if each.budget else {}).items():
            if wanted.get(dimension, 0) > most:
                raise RefusedError("denied", f"{name} may not spend so many {dimension}")
            least[dimension] = min(most, least.get(dimension, most))
    above = _limits(asker.payer)
    least = {dimension: min(most, above.get(dimension, most)) for dimension, most in least.items()}
    return least | wanted


def draw_now(asker: Node, amounts: Amounts) -> None:
    """`RefusedError` if the amounts cannot be reserved at once, be it for what others hold."""
    draw, dimension = asker.payer.ask(amounts)
    if draw != "granted":
        left = {dimension: asker.payer.free(dimension) or 0}
        reason = f"{amounts[dimension]} {dimension} are not left for it"
        raise RefusedError("budget", reason, left)


def draw_within(asker: Node, amounts: Amounts) -> None:
    """`RefusedError` if the amounts go beyond what the asker, or one above it, has in all."""
    above = _limits(asker.payer)
    for dimension, amount in amounts.items():
        if amount > above.get(dimension, amount):
            raise RefusedError("denied", f"you may not spend so many {dimension}")


def _limits(account: Account | None) -> dict[str, int]:
    """The limits of the accounts that a draw would go to."""
    found: dict[str, int] = {}
    while account is not None:
        found = {**account.limits, **found}
        account = account.parent
    return found


def _amounts(written: Json) -> dict[str, int]:
    if not isinstance(written, dict) or not written.keys() <= {*DIMENSIONS}:
        known = ", ".join(DIMENSIONS)
        raise RefusedError("invalid-request", f"'budget' must be an object of amounts: {known}")
    return {dimension: _amount(dimension, value) for dimension, value in written.items()}


def _amount(dimension: str, value: Json) -> int:
    digits = _digits(value)
    whole = None
    if _PLAIN.fullmatch(digits):
        whole = Decimal(digits) * (MICRO if dimension == "cost_usd" else 1)
    if whole is None or whole > LARGEST or whole != int(whole):
        raise RefusedError("invalid-request", f"{_shown(value)} is no amount of {dimension}")
    return int(whole)


def _digits(value: Json) -> str:
    """A number or a text as plain digits; nothing for what is neither, or is beyond all amounts."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if not 0 <= value <= LARGEST:
        return ""
    return f"{Decimal(repr(value)):f}".removesuffix(".0")


def _shown(value: Json) -> str:
    # Python refuses to write integers of over 4,300 digits.
    beyond = type(value) is int and abs(value) > LARGEST
    return "a number beyond 2^53" if beyond else f"{value!r:.40}"


def as_budget(amounts: Amounts) -> Budget | None:
    """The amounts as a budget; None for none, which leaves all to the accounts above."""
    return Budget(**amounts) if amounts else None
