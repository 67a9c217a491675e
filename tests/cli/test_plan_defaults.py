"""The block of defaults in a plan."""

from collections.abc import Callable
from typing import Any

from forge_cli.app.defaults import Default
from forge_cli.app.planned import Planned
from forge_cli.cli.plan_defaults import default_lines
from forge_cli.cli.plan_tables import plan_lines
from forge_cli.cli.terminal import Terminal
from forge_cli.multiagent.plan import Plan

DEFAULTS = (
    Default("scope", ["files:**"]),
    Default("budget", {"model_calls": 100}),
    Default("deadline", 6 * 3_600_000),
    Default("required", True, ("greet", "check")),
    Default("timeout", 3_600_000, ("greet",)),
    Default("max_output", 16_777_216, ("check",)),
)


def test_each_has_its_value_as_a_manifest_writes_it_and_who_it_holds_for(hello: Plan) -> None:
    assert [line.split(maxsplit=1) for line in default_lines(Planned(hello, defaults=DEFAULTS))][
        2:
    ] == [
        ["scope", "files:**              the run"],
        ["budget", "100 model calls       the run"],
        ["deadline", "6h                    the run"],
        ["required", "true                  every item"],
        ["timeout", "1h                    greet"],
        ["max_output", "16.0 MiB              check"],
    ]


def test_many_holders_go_on_below_the_first(
    make_item: Callable[..., Any], make_plan: Callable[..., Plan]
) -> None:
    names = [f"item-number-{n}" for n in range(20)]
    plan = make_plan("many", [make_item(name) for name in [*names, "other"]])
    lines = default_lines(Planned(plan, defaults=(Default("timeout", 1000, tuple(names)),)))
    assert all(len(line) <= 100 for line in lines)
    assert len({len(line) - len(line.lstrip()) for line in lines[3:]}) == 1


def test_a_plan_has_the_block_only_where_it_is_asked_for(hello: Plan) -> None:
    planned = Planned(hello, defaults=DEFAULTS)
    assert " default          value" not in "\n".join(plan_lines(planned, Terminal()))
    assert " default          value" in "\n".join(plan_lines(planned, Terminal(), defaults=True))
