"""Items with elements: in the table one row for all of them, in the lines what went wrong."""

from collections.abc import Callable
from typing import Any

from forge_cli.multiagent.plan import Item, Plan, Retry, Role

Show = Callable[..., str]


def test_elements_of_a_list_are_one_row_with_what_is_slow_and_what_failed(
    show: Show,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> None:
    names = ["api", "auth", "billing", "cart", "geo", "tax"]
    role, item = make_item("scan", pattern="each", for_each=names, then="continue", required=False)
    answers = {f"scan.{i}": [answer_done(20 + 7 * i, {"result": "x"})] for i in range(6)}
    answers["scan.5"] = [answer_lost(3, "exit status 2")]
    shown = show(make_plan("matrix", [(role, item)]), answers, each=True, live=True)
    assert (
        """\
 item      role        state                                                  calls  cost       time
 ───────────────────────────────────────────────────────────────────────────────────────────────────
 scan      inline      2 accepted, 1 failed, 3 running            █████░░░░░      -  -          0:30
           └ running: billing 0:30   cart 0:30   geo 0:10     failed: tax (exit status 2)
 ───────────────────────────────────────────────────────────────────────────────────────────────────
 run                   3 of 4 slots busy                                          -  -          0:30
"""
        in shown
    )
    assert "  0:30  scan.5    FAILED     exit status 2\n" in shown
    assert "scan.0" not in shown


def test_elements_stand_in_the_columns_of_the_items_and_an_empty_list_says_so(
    show: Show,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_lost: Callable[..., Any],
) -> None:
    each = {"pattern": "each", "then": "continue", "required": False}
    items = [make_item("research", for_each=["a"], **each), make_item("none", for_each=[], **each)]
    shown = show(make_plan("lists", items), {"research.0": [answer_lost(1, "exit status 2")]})
    assert "  0:00  none        accepted   no elements" in shown.splitlines()
    assert "  0:01  research.0  FAILED     exit status 2" in shown.splitlines()


def test_beside_a_list_an_attempt_is_told_with_the_state(
    show: Show,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> None:
    items = [
        make_item("scan", pattern="each", for_each=["a"]),
        make_item("flaky", retry=Retry(3, 2000)),
    ]
    answers = {
        "scan.0": [answer_done(1, {"result": "x"})],
        "flaky": [answer_lost(1, "exit status 3"), answer_done(1, {"result": "x"})],
    }
    shown = show(make_plan("again", items), answers, each=True, live=True)
    assert " flaky     inline      accepted, attempt 2 " in shown
