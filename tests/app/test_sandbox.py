"""Which sandbox a plan's programs get: the strongest that works, what they ask for, or none."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from forge_cli.app.plan import compiled
from forge_cli.app.sandbox import OFF, Works, look, named_files, own_level, reached
from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Handler, Plan

BOTH = Works("/usr/bin/bwrap", {"namespace": "bubblewrap 0.8.0", "landlock": "landlock 7"}, {})
KERNEL = Works("", {"landlock": "landlock 7"}, {"namespace": "bubblewrap is not installed"})
NEITHER = Works("", {}, {"namespace": "bubblewrap is not installed", "landlock": "no Landlock"})

Planned = Callable[..., Plan]


@pytest.fixture
def plan(tmp_path: Path) -> Planned:
    """The plan of a manifest of these work items."""

    def plan(*items: str) -> Plan:
        path = tmp_path / "m.forge.yaml"
        path.write_text("forge: 1\nwork_items:\n" + "".join(f"  {item}\n" for item in items))
        found = compiled(path, 0).plan
        assert found is not None
        return found

    return plan


ECHO = "a: {run: [echo], capabilities: []}"


@pytest.mark.parametrize(("works", "text"), [(BOTH, "bubblewrap 0.8.0"), (KERNEL, "landlock 7")])
def test_the_strongest_that_works_is_taken(plan: Planned, works: Works, text: str) -> None:
    found = reached(plan(ECHO), {}, looked=lambda: works)
    assert (found.text, found.reasons) == (text, ())
    assert works.names[found.sandbox.level] == text


def test_where_none_works_a_program_is_refused_with_what_to_do(plan: Planned) -> None:
    (reason,) = reached(plan(ECHO), {}, looked=lambda: NEITHER).reasons
    assert reason.startswith(
        "a sandbox is needed and does not work here: bubblewrap is not installed, and no Landlock;"
        " 'a' is a program"
    )
    assert "forge explain sandbox" in reason
    assert "sandbox: off" in reason


def test_off_that_is_written_is_told_and_never_refused(plan: Planned) -> None:
    found = reached(plan("a: {run: [echo], capabilities: [], sandbox: off}"), {})
    assert (found.text, found.reasons) == (OFF, ())


def test_off_in_the_environment_is_for_those_that_ask_for_none(plan: Planned) -> None:
    found = reached(
        plan(ECHO, "b: {run: [echo], capabilities: [], sandbox: landlock}"),
        {"FORGE_SANDBOX": "off"},
        looked=lambda: BOTH,
    )
    assert (found.sandbox.level, found.text) == ("off", "landlock 7; not enforced: a")


@pytest.mark.parametrize(("variables", "begun"), [({"FORGE_SANDBOX": "off"}, None), ({}, OFF)])
def test_where_none_is_wanted_nothing_is_tried(
    plan: Planned, variables: dict[str, str], begun: str | None
) -> None:
    tried: list[Works] = []

    def looked() -> Works:
        tried.append(BOTH)
        return BOTH

    found = reached(plan(ECHO), variables, begun, looked)
    assert (found.sandbox.level, found.text, found.advice, tried) == ("off", OFF, "", [])


def test_a_level_that_is_asked_for_and_does_not_work_is_refused(plan: Planned) -> None:
    asked = plan("a: {run: [echo], capabilities: [], sandbox: namespace}")
    (reason,) = reached(asked, {}, looked=lambda: KERNEL).reasons
    assert "does not work here: bubblewrap is not installed; 'a' is a program" in reason


def test_items_that_are_not_held_are_named(plan: Planned) -> None:
    off = (f"{name}: {{run: [echo], capabilities: [], sandbox: off}}" for name in "bcde")
    found = reached(plan(ECHO, *off), {}, looked=lambda: BOTH)
    assert found.text == "bubblewrap 0.8.0; not enforced: b, c, d and 1 more"


def test_what_undoes_an_item_is_a_program(plan: Planned) -> None:
    agent = plan("a: {run: [echo], capabilities: [], compensate: {run: [echo]}, sandbox: off}")
    undone = agent.items["a"]
    assert undone.compensate is not None
    held = replace(undone, compensate=replace(undone.compensate, config={"argv": ["echo"]}))
    found = reached(replace(agent, items={"a": held}), {}, looked=lambda: NEITHER)
    assert len(found.reasons) == 1


def handled(plan: Plan, handler: Handler) -> Plan:
    return replace(plan, roles={"inline:a": replace(plan.roles["inline:a"], handler=handler)})


def test_an_agent_needs_none_unless_it_starts_programs(plan: Planned) -> None:
    agent = handled(plan(ECHO), Handler("agent", {}))
    assert reached(agent, {}, looked=lambda: NEITHER).text == "none needed"
    grant = replace(agent.items["a"].grant, actions=frozenset({"process"}))
    starting = replace(agent, items={"a": replace(agent.items["a"], grant=grant)})
    assert reached(starting, {}, looked=lambda: NEITHER).reasons != ()


def test_an_item_that_starts_a_server_needs_one_unless_the_server_says_off(plan: Planned) -> None:
    server = {"argv": ["logs-mcp"]}
    held = handled(plan(ECHO), Handler("mcp", {"server": server, "tools": []}))
    assert reached(held, {}, looked=lambda: BOTH).text == "bubblewrap 0.8.0"
    (reason,) = reached(held, {}, looked=lambda: NEITHER).reasons
    assert "'a' starts a server of tools, and only a sandbox can hold it" in reason
    off = {"logs": {"server": {**server, "sandbox": "off"}, "tools": []}}
    agent = handled(plan(ECHO), Handler("agent", {"servers": off}))
    found = reached(agent, {}, looked=lambda: NEITHER)
    assert (found.text, found.reasons) == (OFF, ())


def test_a_server_at_an_address_needs_none(plan: Planned) -> None:
    config = {"server": {"url": "https://mcp.example.org"}, "tools": []}
    there = handled(plan(ECHO), Handler("mcp", config))
    assert reached(there, {}, looked=lambda: NEITHER).text == "none needed"


def test_files_that_servers_are_made_of_are_named_by_their_manifest_alone(
    plan: Planned, tmp_path: Path
) -> None:
    (tmp_path / "server.py").touch()
    argv = ["node", str(tmp_path / "server.py"), str(tmp_path), "/none", "${inputs.path}", "-x"]
    named = handled(plan(ECHO), Handler("mcp", {"server": {"argv": argv}, "tools": []}))
    assert named_files(named) == {str(tmp_path / "server.py")}


def test_a_plug_in_is_held_as_a_program_is(plan: Planned) -> None:
    shout = handled(plan(ECHO), Handler("shout", {}))
    assert reached(shout, {}, looked=lambda: BOTH).text == "bubblewrap 0.8.0"
    assert len(reached(shout, {}, looked=lambda: NEITHER).reasons) == 1
    asking = handled(plan(ECHO), Handler("shout", {"sandbox": "landlock"}))
    assert reached(asking, {}, looked=lambda: BOTH).text == "landlock 7"


def test_a_role_that_work_is_handed_to_counts_as_well(plan: Planned) -> None:
    one = plan("a: {run: [echo], capabilities: [], sandbox: off}")
    other = replace(one.roles["inline:a"], role_id="b", handler=Handler("command", {}))
    found = reached(replace(one, roles={**one.roles, "b": other}), {}, looked=lambda: NEITHER)
    assert "'b' is a program" in found.reasons[0]


@pytest.mark.parametrize(
    ("begun", "level"),
    [(OFF, "off"), ("landlock 6", "landlock"), ("bubblewrap 0.6.1; not enforced: b", "namespace")],
)
def test_a_run_that_goes_on_keeps_the_level_that_it_began_with(
    plan: Planned, begun: str, level: str
) -> None:
    found = reached(plan(ECHO), {}, begun, lambda: BOTH)
    assert (found.sandbox.level, found.text) == (level, begun)


def test_a_level_that_is_none_is_told(plan: Planned) -> None:
    with pytest.raises(ForgeError, match="FORGE_SANDBOX is 'docker'; write one of namespace"):
        reached(plan(ECHO), {"FORGE_SANDBOX": "docker"}, looked=lambda: BOTH)


def test_how_to_get_more_is_told_where_there_is_more(plan: Planned) -> None:
    assert reached(plan(ECHO), {}, looked=lambda: BOTH).advice == ""
    assert "not installed" in reached(plan(ECHO), {}, looked=lambda: KERNEL).advice


def test_each_level_works_here_or_says_why_not() -> None:
    works = look()
    assert {*works.names, *works.faults} == {"namespace", "landlock"}


def test_an_item_says_its_level_before_its_role(plan: Planned) -> None:
    one = plan("a: {run: [echo], capabilities: [], sandbox: off}")
    item = replace(one.items["a"], sandbox="landlock")
    assert (own_level(one, item), own_level(one, one.items["a"])) == ("landlock", "off")
