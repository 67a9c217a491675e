"""Routing at compile time: the order of the router, its load, and its explanation."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from forge_cli.manifest.meaning.nodes import Agent
from forge_cli.manifest.meaning.routes import Need, Router, explain, lacks
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.multiagent.roles import AgentRole
from forge_cli.multiagent.supervisor import WorkerStatus, choose_worker

Meaning = Callable[[str], Topology]


def agent(
    role_id: str,
    *capabilities: str,
    outputs: tuple[str, ...] = ("result",),
    scope: tuple[str, ...] = ("files:**",),
    handler: str = "same",
) -> Agent:
    written = {"handler": {"kind": "command", "argv": [handler]}}
    words = frozenset(capabilities)
    return Agent(role_id, ("roles", role_id), written, 1, words, outputs, scope)


def router(*agents: Agent) -> Router:
    return Router({a.role_id: a for a in agents})


def need(*capabilities: str, outputs: tuple[str, ...] = (), scope: tuple[str, ...] = ()) -> Need:
    return Need(frozenset(capabilities), frozenset(outputs), scope)


def routed(router: Router, wanted: Need) -> str | None:
    route = router.route(wanted)
    return None if route is None else route.role_id


def test_the_capable_role_with_the_fewest_capabilities_is_chosen() -> None:
    roles = router(agent("admin", "read", "write"), agent("reader", "read"))
    assert routed(roles, need("read")) == "reader"
    assert routed(roles, need("write")) == "admin"


def test_load_is_what_was_routed_before_and_breaks_ties() -> None:
    roles = router(agent("b", "read"), agent("a", "read"), agent("c", "read"))
    assert [routed(roles, need("read")) for _ in range(4)] == ["a", "b", "c", "a"]


def test_loads_are_shared_between_different_needs() -> None:
    roles = router(agent("a", "read", "x"), agent("b", "read", "y"))
    assert routed(roles, need("x")) == "a"
    assert routed(roles, need("read")) == "b"


def test_outputs_and_scope_are_needs_as_well() -> None:
    roles = router(
        agent("plain", "read"),
        agent("verdicts", "read", "write", outputs=("verdict",)),
        agent("narrow", "read", scope=("files:src/**",)),
    )
    assert routed(roles, need("read", outputs=("verdict",))) == "verdicts"
    assert routed(roles, need("read", scope=("files:docs/**",))) == "plain"


def test_nobody_capable_is_no_route() -> None:
    assert routed(router(agent("reader", "read")), need("write")) is None


def test_a_tie_between_different_handlers_is_told_once() -> None:
    roles = router(agent("a", "read", handler="one"), agent("b", "read", handler="two"))
    ties = [route.tied for _ in range(4) if (route := roles.route(need("read")))]
    assert ties == [("b",), (), (), ()]


def test_a_tie_between_equal_handlers_is_none() -> None:
    roles = router(agent("a", "read"), agent("b", "read"))
    route = roles.route(need("read"))
    assert route is not None
    assert route.tied == ()


def test_what_a_role_lacks_is_named() -> None:
    role = agent("reader", "read", scope=("files:src/**",))
    wanted = need("write", outputs=("verdict", "notes"), scope=("files:docs/**",))
    assert lacks(role, wanted) == (
        "capability write",
        "outputs notes, verdict",
        "scope files:docs/**",
    )


def test_the_explanation_names_who_else_could_and_what_the_others_lack() -> None:
    agents = (agent("a", "read"), agent("b", "read"), agent("c"))
    found = explain({x.role_id: x for x in agents}, need("read"), "a", "named")
    assert (found.chosen, found.others) == ("a", ("b",))
    assert found.lacking == {"c": ("capability read",)}


def test_a_named_item_is_explained_by_what_it_is_granted(meaning: Meaning) -> None:
    topology = meaning(
        """
        roles:
          researcher: {capabilities: [read], outputs: [notes], handler: {kind: agent}}
          reviewer: {capabilities: [read], outputs: [verdict], handler: {kind: agent}}
        work_items: {review: {role: reviewer}}
        """
    )
    found = topology.explain("review")
    assert (found.chosen, found.reason, found.others) == ("reviewer", "named", ())
    assert found.lacking == {"researcher": ("outputs verdict",)}


def test_a_hundred_thousand_items_find_their_way_among_a_thousand_roles() -> None:
    roles = router(*(agent(f"r{n}", "read", *(["write"] if n % 2 else [])) for n in range(1000)))
    chosen = [routed(roles, need("read", scope=(f"files:src/{n}/**",))) for n in range(100_000)]
    assert len(set(chosen)) == 500
    assert chosen[:500] == chosen[500:1000]


words = st.frozensets(st.sampled_from(["a", "b", "c"]), max_size=3)


@given(st.lists(words, min_size=1, max_size=6), st.lists(words, min_size=1, max_size=8))
def test_the_router_agrees_with_the_supervisor(
    held: list[frozenset[str]], asked: list[frozenset[str]]
) -> None:
    agents = [agent(f"r{n}", *sorted(capabilities)) for n, capabilities in enumerate(held)]
    roles, load = router(*agents), dict.fromkeys((a.role_id for a in agents), 0)
    for wanted in asked:
        contracts = [AgentRole(a.role_id, a.capabilities, frozenset(a.outputs)) for a in agents]
        workers = [WorkerStatus(role, load[role.role_id]) for role in contracts]
        try:
            expected = choose_worker(wanted, workers).role_id
        except ValueError:
            assert roles.route(Need(wanted)) is None
            continue
        assert routed(roles, Need(wanted)) == expected
        load[expected] += 1
