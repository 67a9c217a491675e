"""What the plan says of work that may be handed on while the run goes on."""

from collections.abc import Callable

from forge_cli.multiagent.plan import Plan
from forge_cli.multiagent.plan_document import plan_document, plan_from_document

Compiled = Callable[[str], Plan]


def test_what_roles_may_hand_on_at_run_time_is_part_of_the_plan(compiled: Compiled) -> None:
    plan = compiled(
        """
        capabilities: {search: ["tool:logs/query"]}
        roles:
          lead:
            capabilities: [read, write, search]
            delegates: {to: ["agent:coder@2"], capabilities: [read, search], depth: 2}
            handler: {kind: command, argv: [x]}
          coder:
            version: 2
            capabilities: [read, search]
            handler: {kind: command, argv: [x]}
        work_items: {fix: {role: lead}}
        """
    )
    assert plan.roles["lead"].delegates == ("coder",)
    handed = plan.contracts["delegates:lead"]
    assert (handed.capabilities, handed.depth) == (frozenset({"read", "search"}), 2)
    assert plan.vocabulary == {"read": ["file-read"], "search": ["tool:logs/query"]}
    assert plan_from_document(plan_document(plan)) == plan


def test_only_a_high_item_may_insert_steps_and_only_where_the_settings_let_it(
    compiled: Compiled,
) -> None:
    on = compiled(
        """
        settings: {dynamic_decomposition: true}
        work_items:
          plan: {run: [x], capabilities: [write], complexity: high}
          few: {run: [x], capabilities: [], complexity: high, max_steps: 3}
          low: {run: [x], capabilities: [], complexity: low}
        """
    )
    assert [item.max_steps for item in on.items.values()] == [20, 3, 0]
    assert on.vocabulary == {"write": ["file-read", "file-write"]}
