"""How a plan is shown."""

import dataclasses
from typing import Any

import pytest

from forge_cli.app.needs import Need
from forge_cli.app.planned import Planned, Why
from forge_cli.cli.plan_tables import plan_lines
from forge_cli.cli.terminal import ASCII_TWINS, Terminal
from forge_cli.multiagent.budget import Budget
from forge_cli.multiagent.plan import Grant, Handler, Input, Item, Plan, Retry, Role

LACKS = ("outputs verdict, findings",)


@pytest.fixture
def planned(fix: Plan) -> Planned:
    """Three agents, of whom only one can review."""
    items = {
        name: dataclasses.replace(item, grant=acting(item.grant))
        for name, item in fix.items.items()
    }
    return Planned(
        dataclasses.replace(fix, items=items),
        why={"review": Why("named", (), {"researcher": LACKS, "builder": LACKS})},
        inputs={"issue": "482"},
        needs=(Need("ANTHROPIC_API_KEY", "set", True), Need("git", "found", True)),
    )


def acting(grant: Grant) -> Grant:
    """The grant with the actions that its capabilities allow."""
    actions = {"file-read", *(["file-write"] if grant.writes else [])}
    return dataclasses.replace(grant, actions=frozenset(actions))


def command(name: str, argv: list[str], **fields: Any) -> tuple[Role, Item]:
    """An inline item that runs a program."""
    handler = Handler("command", {"argv": argv})
    role = Role(f"inline:{name}", 1, frozenset(), ("result",), (), handler)
    return role, Item(name, role.role_id, grant=Grant(outputs=("result",)), **fields)


def plan_with(*pairs: tuple[Role, Item], **fields: Any) -> Plan:
    """A plan of these roles and items."""
    roles = {role.role_id: role for role, _ in pairs}
    items = {item.item_id: item for _, item in pairs}
    return Plan("p", "0.0.0", items, roles, {}, digest="sha256:00000000ff", **fields)


def shown(planned: Planned) -> str:
    """The report without colour."""
    return "\n".join(plan_lines(planned, Terminal()))


def test_a_plan_is_order_grants_budget_and_what_is_needed(planned: Planned) -> None:
    expected = """\
fix  plan 4c1d09e2  3 items, 3 roles  valid, 0 warnings

 order  item      role          starts after     why this role
 ─────────────────────────────────────────────────────────────────────────────────────────────────
     1  research  researcher@1  -                named
     2  build     builder@1     research         named
     3  review    reviewer@1    research, build  named; nobody else could:
                                                 researcher lacks outputs verdict, findings
                                                 builder lacks outputs verdict, findings

 what each turn may do
 ─────────────────────────────────────────────────────────────────────────────────────────────────
 research  use    repository-read                              risk      read_only
           read   files:**                                     on crash  rerun
           write  nothing                                      held by   gateway (agent handler)
 build     use    repository-read, repository-write, test-run  risk      reversible
           read   files:**                                     on crash  hold
           write  files:src/**, files:tests/**                 held by   gateway (agent handler)
 review    use    repository-read                              risk      read_only
           read   files:**                                     on crash  rerun
           write  nothing                                      held by   gateway (agent handler)
           accept when schemas/verdict.json holds

 budget          model calls   cost
 ─────────────────────────────────────────────────────────────────────────────────────────────────
 run                      60   $4.00
 ├ build              shared   $2.00, reserved when it starts
 └ the others         shared   $2.00, turn by turn

 critical path  research > build > review, 3h if every attempt takes its timeout of 1h
 approvals      none; nothing here is irreversible
 sandbox        off, not enforced: what a handler's program does is not held to its grant
 inputs         issue 482
 needed here    ANTHROPIC_API_KEY set   git found
 limits         60 model calls, $4.00, deadline 6h, default, 4 at once"""
    assert shown(planned).splitlines() == expected.splitlines()


def test_ascii_output_is_the_same_text_through_one_table(planned: Planned) -> None:
    lines = plan_lines(planned, Terminal(ascii=True))
    twin = "\n".join(map(Terminal(ascii=True).fit, lines))
    assert twin == shown(planned).translate(ASCII_TWINS)
    assert twin.isascii()


def test_who_else_could_do_an_item_is_named(planned: Planned) -> None:
    why = {"research": Why("named", ("builder",), {"reviewer": ("outputs notes",)})}
    text = shown(dataclasses.replace(planned, why=why))
    assert "named; also could: builder\n" in text
    assert "reviewer lacks outputs notes" in text


def test_of_many_roles_that_lack_something_three_are_named(planned: Planned) -> None:
    lacking = {f"role{number}": ("scope files:src/**",) for number in range(1000)}
    text = shown(dataclasses.replace(planned, why={"build": Why("named", (), lacking)}))
    assert "role2 lacks scope files:src/**" in text
    assert "role3" not in text
    assert "997 more lack something" in text


def test_an_inline_program_is_shown_as_it_would_be_typed() -> None:
    text = shown(Planned(plan_with(command("greet", ["echo", "hello ${inputs.who}"]))))
    assert " greet     run    echo 'hello ${inputs.who}'" in text
    assert "     1  greet     inline    -             its own program" in text


def test_what_run_would_refuse_is_said(planned: Planned) -> None:
    refusal = "'research' has an agent handler, which this version does not run"
    text = shown(dataclasses.replace(planned, refusals=(refusal,)))
    assert f" run refuses    {refusal}" in text


def test_limits_that_are_not_the_default_stand_beside_the_grant() -> None:
    pair = command(
        "scan",
        ["scan"],
        for_each=["a", "b"],
        pattern="each",
        max_parallel=1,
        retry=Retry(3),
        then="continue",
        required=False,
        timeout=90_000,
        when="inputs.full",
        criteria=("result != ''",),
    )
    text = shown(Planned(plan_with(pair)))
    for part in (
        "each   2 elements, 1 at once",
        "when   inputs.full",
        "accept when result != ''",
        "attempts  3",
        "failure   continue",
        "required  no",
        "timeout   1m30s",
    ):
        assert part in text


@pytest.mark.parametrize(
    ("for_each", "told"),
    [
        (["a"], "1 element, 4 at once"),
        ("${inputs.parts}", "3 elements by default, 4 at once"),
        ("${inputs.given}", "element of ${inputs.given}, 4 at once"),
        ("${items.a.outputs.result}", "element of ${items.a.outputs.result}, 4 at once"),
    ],
)
def test_a_list_is_told_with_its_length_or_where_it_comes_from(for_each: Any, told: str) -> None:
    inputs = {"parts": Input(False, ["a", "b", "c"]), "given": Input(True)}
    pair = command("scan", ["scan"], for_each=for_each, pattern="each", max_parallel=9)
    assert f"each   {told}" in shown(Planned(plan_with(pair, inputs=inputs)))


def test_limits_stand_beside_a_script_however_long_its_first_line_is() -> None:
    role, item = command("check", [])
    handler = Handler("command", {"argv": ["bash", "-c", "x" * 200], "inputs_as_env": True})
    text = shown(Planned(plan_with((dataclasses.replace(role, handler=handler), item))))
    (line,) = [each for each in text.splitlines() if " script " in each]
    assert ".." in line
    assert "risk " in line


def test_a_path_that_is_longer_than_the_deadline_says_so() -> None:
    pairs = [command("a", ["a"], timeout=5 * 3_600_000)]
    pairs.append(command("b", ["b"], timeout=5 * 3_600_000, depends_on=("a",)))
    text = shown(Planned(plan_with(*pairs)))
    assert "a > b, 10h if every attempt takes its timeout of 5h; the deadline ends" in text


def test_tokens_and_tool_calls_of_a_budget_are_named() -> None:
    plan = plan_with(command("a", ["a"]), budget=Budget(None, None, 10_000, 5))
    assert " run                       -   -, 10,000 tokens, 5 tool calls" in shown(Planned(plan))


def test_a_pattern_that_is_wide_is_not_broken() -> None:
    role, item = command("check", ["check"])
    scope = ("files:src/**", "files:manifests/authorization-review/security/policies/**")
    item = dataclasses.replace(
        item, grant=Grant(actions=frozenset({"file-read"}), scope=scope, outputs=("result",))
    )
    text = shown(Planned(plan_with((role, item))))
    assert f"           read   {scope[0]}, " in text
    assert f"                  {scope[1]}\n" in text


def test_values_cannot_move_the_cursor(planned: Planned) -> None:
    text = shown(dataclasses.replace(planned, inputs={"issue": "\x1b[2J"}))
    assert "issue \\x1b[2J" in text


def test_no_line_is_wider_than_a_hundred_columns() -> None:
    long = "a-name-that-takes-all-of-the-sixty-four-characters-an-id-may-have"
    pairs = [command(long, ["x" * 300], goal="g")]
    pairs.append(command("b" * 60, ["y"], depends_on=(long,), criteria=("z" * 400,)))
    needs = tuple(Need(f"PROGRAM_{number}", "missing", False) for number in range(30))
    lines = plan_lines(Planned(plan_with(*pairs), needs=needs), Terminal())
    assert max(map(len, lines)) <= 100


def test_what_is_missing_here_is_counted_in_the_title() -> None:
    needs = (Need("claude", "missing", False), Need("git", "found", True))
    planned = Planned(plan_with(command("a", ["true"])), needs=needs, missing=("issue",))
    assert shown(planned).splitlines()[0].endswith("valid, 0 warnings, 2 missing here")
