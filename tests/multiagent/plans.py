"""Random plans: every pattern, order, policy and limit, small enough to be looked at."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import (
    Contract,
    Deadline,
    Grant,
    Handler,
    Item,
    Plan,
    Retry,
    Role,
    StateKey,
)
from tests.multiagent.world import item, plan, role

SECOND = 1_000
THENS = (
    "fail",
    "continue",
    "return-partial",
    "escalate",
    "return-partial-and-escalate",
    "compensate",
)
UNDO = Handler("command", {"argv": ["undo"]})
PUT_BACK = Handler("restore", {})
CAPABILITIES = ("read", "write")
SCOPES = ("files:src/**", "files:docs/**")
ELEMENTS = ("a", "b", "..", "*", "c/d")
DELEGATES = {"worker": ("frugal", "dear"), "frugal": (), "dear": ("frugal",)}


def as_agent(made: Role) -> Role:
    """The role, whose handler tells of denials in forge's own words."""
    return replace(made, handler=replace(made.handler, kind="agent"))


ROLES = [
    replace(
        made, capabilities=frozenset(CAPABILITIES), scope=SCOPES, delegates=DELEGATES[made.role_id]
    )
    for made in (
        role(),
        as_agent(role("frugal", Budget(model_calls=1))),
        role("dear", Budget(model_calls=2, tokens=3)),
    )
]
CONTRACTS = {
    "run": Contract("run", "", "", scope=("files:**",), depth=2),
    **{
        f"{kind}:{name}": Contract(
            f"{kind}:{name}", "run", name, frozenset(CAPABILITIES), SCOPES, depth=len(to)
        )
        for name, to in DELEGATES.items()
        for kind in ("role", "delegates")
    },
}
VOCABULARY = {"read": ["file-read"], "write": ["file-read", "file-write"]}
STATE = {
    "strict": StateKey("worker"),
    "joined": StateKey("worker", "append"),
    "united": StateKey("worker", "union"),
}
TALKS = ("joint", "broadcast")
TOPICS = ("facts", "guesses")
CONDITIONS = ("inputs.yes", "inputs.yes", "inputs.yes == `true`", "inputs.no", "inputs.missing")
INPUTS = {"yes": True, "no": False}


def chance(dice: Random, percent: int) -> bool:
    return dice.randrange(100) < percent


def some(dice: Random, **fields: Callable[[], Any]) -> dict[str, Any]:
    """About a quarter of these fields."""
    return {name: value() for name, value in fields.items() if chance(dice, 25)}


def budget(dice: Random) -> Budget:
    most = dice.choice((3, 10, 30))
    return Budget(
        **some(dice, model_calls=lambda: dice.randrange(most), tokens=lambda: dice.randrange(most))
    )


def order(dice: Random, earlier: Sequence[str]) -> dict[str, tuple[str, ...]]:
    before = dice.sample(earlier, min(len(earlier), dice.randrange(3)))
    cut = dice.randrange(len(before) + 1)
    return {"depends_on": tuple(before[:cut]), "after": tuple(before[cut:])}


def policy(dice: Random) -> dict[str, Any]:
    """What any item may say."""
    return {"required": chance(dice, 50)} | some(
        dice,
        then=lambda: dice.choice(THENS),
        when=lambda: dice.choice(CONDITIONS),
        budget=lambda: budget(dice),
        deadline=lambda: Deadline(within=dice.choice((0, 10, 50, 200, 800)) * SECOND),
    )


def grant(dice: Random, outputs: tuple[str, ...]) -> Grant:
    scope = tuple(pattern for pattern in SCOPES if chance(dice, 60))
    words = frozenset(word for word in CAPABILITIES if chance(dice, 70))
    return Grant(words, words, scope, scope[: dice.randrange(len(scope) + 1)], outputs)


def leaf(dice: Random, name: str, earlier: Sequence[str], **fields: Any) -> Item:
    """An item that takes turns, or does so for each element of a list."""
    outputs, key = fields.pop("outputs", ("result",)), dice.choice((None, *STATE))
    if key in ("joined", "united"):
        outputs = (*outputs, key)
    fields |= {"role_id": dice.choice(ROLES).role_id, **policy(dice), **order(dice, earlier)}
    fields |= {"grant": grant(dice, outputs), "chain": ("run", "role:worker")}
    fields |= some(
        dice,
        retry=lambda: Retry(dice.randint(1, 3), dice.randrange(5) * SECOND, 2000),
        on_crash=lambda: "hold",
        timeout=lambda: dice.randint(1, 30) * SECOND,
        inputs=lambda: {
            "r": dice.choice(["${each}"] * 9 + ["${budget.tokens}", "${inputs.missing}"])
        },
        evidence=lambda: outputs[:1],
        compensate=lambda: dice.choice((UNDO, PUT_BACK)),
    )
    fields |= {"approval": chance(dice, 15), "return_key": key}
    if chance(dice, 25):
        fields |= elements(dice, outputs)
    return item(name, **fields)


def elements(dice: Random, outputs: tuple[str, ...]) -> dict[str, Any]:
    """What makes an item one that is done for each element of a list."""
    values: Any = [
        dice.choice(ELEMENTS[: dice.choice((2, 2, 5))]) for _ in range(dice.randrange(4))
    ]
    values = values if chance(dice, 90) else "${inputs.missing}"
    fields = {"pattern": "each", "for_each": values, **some(dice, max_parallel=lambda: 1)}
    if chance(dice, 30):
        reach = ("files:src/${each}/**",)
        fields |= {"with_each": True, "grant": Grant(scope=reach, writes=reach, outputs=outputs)}
    return fields


def group(dice: Random, name: str, earlier: Sequence[str]) -> list[Item]:
    """An item with sub-tasks, and these."""
    pattern = dice.choice(["parallel", "resolve", "joint", "broadcast", "broadcast"])
    outputs = ("value", "risk") if pattern == "resolve" else ("result",)
    saga = chance(dice, 40)
    children: list[Item] = []
    for index in range(dice.randint(1, 3)):
        before = [*earlier, *(child.item_id for child in children)]
        child = leaf(dice, f"{name}.{index}", before, parent=name, outputs=outputs)
        if pattern in TALKS:
            child = talker(dice, child)
        children.append(replace(child, compensate=UNDO) if saga else child)
    names = tuple(child.item_id for child in children)
    fields: dict[str, Any] = {**policy(dice), **order(dice, earlier), "children": names}
    if saga:
        fields["then"] = "compensate"
    if pattern == "joint":
        fields["rounds"] = dice.randint(1, 4)
    elif pattern == "broadcast":
        fields["channels"] = TOPICS
    return [item(name, role_id="", pattern=pattern, **fields), *children]


def talker(dice: Random, child: Item) -> Item:
    """A part of an item whose parts talk: one voice, with what it may post to and listens to."""
    if child.pattern == "each":
        plain = Grant(outputs=child.grant.outputs) if child.with_each else child.grant
        child = replace(
            child, pattern="turn", for_each=None, max_parallel=None, with_each=False, grant=plain
        )
    return replace(
        child,
        **some(
            dice,
            posts=lambda: TOPICS[: dice.randrange(3)],
            listens=lambda: TOPICS[: dice.randrange(3)],
        ),
    )


def random_plan(dice: Random) -> Plan:
    items: list[Item] = []
    for index in range(dice.randint(1, 7)):
        earlier = [i.item_id for i in items]
        name = f"i{index}"
        items += group(dice, name, earlier) if chance(dice, 30) else [leaf(dice, name, earlier)]
    # Drawn from dice of their own, so that all else of a plan is as it was without them.
    more = Random(dice.random())
    items = [
        replace(each, max_steps=3) if each.role_id and chance(more, 60) else each for each in items
    ]
    return plan(
        items,
        roles=ROLES,
        contracts=CONTRACTS,
        budget=budget(dice),
        deadline=Deadline(within=dice.choice((0, 20, *[100, 300, 900, 3_600] * 3)) * SECOND),
        max_concurrency=dice.randint(1, 3),
        broadcast_buffer=dice.choice((0, 1, 3, 256)),
        minimum_successes=dice.choice([None, 0, 2]),
        state=STATE,
        outputs={"all": "${items.i0.status}"},
        vocabulary=VOCABULARY,
    )
