"""Work items as the plan has them."""

from typing import Any, cast

from forge_cli.manifest.compilation.contracts import budget_of, chain, deadline_of
from forge_cli.manifest.compilation.handlers import Handlers
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.limits import read_duration
from forge_cli.manifest.meaning.nodes import Node
from forge_cli.manifest.meaning.order import NO_LINKS
from forge_cli.manifest.meaning.scopes import EACH, apart
from forge_cli.manifest.meaning.topology import Topology, state_key
from forge_cli.manifest.meaning.values import HOUR, Fault, reference
from forge_cli.multiagent.plan import Grant, Item, Pattern, Retry, Then

MAX_STEPS = 20
"""Steps that an item may insert where it does not say it."""

TIMEOUT = HOUR
"""Milliseconds of one attempt where the item does not say it."""

ROUNDS = 4
"""Rounds of a joint item where it does not say it."""


def compile_item(topology: Topology, node: Node, handlers: Handlers) -> Item:
    """The item with every limit narrowed and every order explicit."""
    written, terms = node.written, node.terms()
    links = topology.links.get(node.item_id, NO_LINKS)
    retry, then = policy(terms.get("on_failure", "fail"))
    risk = written.get("risk", node.risk)
    own = {} if node.way == "inline" or node.children else written
    each = "for_each" in node.own and not node.children
    timeout = read_duration(written.get("timeout"))
    return Item(
        item_id=node.item_id,
        role_id=node.agent.role_id if node.agent is not None and not node.children else "",
        pattern="each" if each else cast(Pattern, node.own.get("pattern", "turn")),
        parent=node.parent.item_id if node.parent is not None else None,
        children=node.children,
        goal=_goal(node),
        inputs=written.get("with", {}),
        grant=Grant(node.capabilities, node.actions, node.scope, node.writes, node.outputs),
        chain=chain(node),
        with_each=each and any(EACH in text for text in (*node.scope, *node.writes)),
        depends_on=links.depends_on,
        after=links.after,
        when=node.own.get("when"),
        for_each=node.own["for_each"] if each else None,
        max_parallel=_max_parallel(node) if each else None,
        required=node.own.get("required", True),
        risk=risk,
        budget=budget_of(node),
        deadline=deadline_of(node),
        timeout=TIMEOUT if timeout is None else timeout,
        completion=schema_key(topology, terms.get("completion")),
        criteria=tuple(terms.get("criteria", ())),
        evidence=tuple(terms.get("evidence", ())),
        context_package=_context_key(terms.get("context_package")),
        retry=retry,
        then=then,
        on_crash=written.get("on_crash", "rerun" if risk == "read_only" else "hold"),
        approval=written.get("approval") == "required" or risk == "irreversible",
        compensate=None if node.children else handlers.of_undoing(node),
        return_key=state_key(terms.get("return_channel")),
        rounds=node.own.get("rounds", ROUNDS),
        channels=tuple(node.own.get("channels", ())),
        posts=_words(node, "posts"),
        listens=_words(node, "listens"),
        delegation=node.contract.delegation_id if node.contract is not None else None,
        route=node.route,
        env=own.get("env", {}),
        secrets=tuple(own.get("secrets", ())),
        sandbox=own.get("sandbox", ""),
        labels=written.get("labels", {}),
        max_steps=max_steps(topology, node),
    )


def _words(node: Node, key: str) -> tuple[str, ...] | None:
    return tuple(node.own[key]) if key in node.own else None


def max_steps(topology: Topology, node: Node) -> int:
    """How many steps an item may insert while it goes on: none unless the settings let it."""
    if node.own.get("complexity") != "high" or node.children:
        return 0
    if not section(topology.data, "settings").get("dynamic_decomposition"):
        return 0
    most: int = node.own.get("max_steps", MAX_STEPS)
    return most


def _goal(node: Node) -> str:
    if "goal" in node.written or node.contract is None:
        return str(node.written.get("goal", ""))
    # A contract's purpose is words; nothing in it is filled.
    return str(node.contract.written.get("purpose", "")).replace("${", "$${")


def _max_parallel(node: Node) -> int | None:
    """Elements that write go one at a time, unless each writes a part of its own."""
    return node.own.get("max_parallel") if apart(node.writes) else 1


def policy(written: Any) -> tuple[Retry | None, Then]:
    """How often a failed attempt is made again, and what follows when the last one failed."""
    if not isinstance(written, dict):
        return None, cast(Then, written)
    retry = written.get("retry", {})
    maximum = read_duration(retry.get("max"))
    policy = Retry(
        max_attempts=retry.get("max_attempts", 1),
        backoff=read_duration(retry.get("backoff")) or 0,
        factor=round(retry.get("factor", 1) * 1000),
        maximum=maximum,
    )
    if "on" in retry:
        policy = Retry(
            policy.max_attempts, policy.backoff, policy.factor, maximum, frozenset(retry["on"])
        )
    return policy, written.get("then", "fail")


def schema_key(topology: Topology, completion: str | None) -> str | None:
    """The key in the plan of the schema that a `completion` names.

    A file that is listed as well has the name that it is listed under.
    """
    if completion is None or completion.startswith("schema:"):
        return completion and completion.removeprefix("schema:")
    listed = section(topology.data, "schemas").items()
    return next((name for name, file in listed if file == completion), completion)


def _context_key(package: str | None) -> str | None:
    named = reference(package, "context") if package is not None else None
    return None if named is None or isinstance(named, Fault) else named.name
