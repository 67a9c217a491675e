"""What a person sees while a run goes on."""

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forge_cli.cli.console import Console
from forge_cli.cli.progress import Progress
from forge_cli.cli.terminal import ASCII_TWINS, Terminal
from forge_cli.multiagent.plan import Item, Plan, Retry, Role

Show = Callable[..., str]


def block(text: str) -> str:
    """A golden text without its first line break."""
    return text.removeprefix("\n")


def test_short_run_is_a_header_and_a_line_for_each_item(
    show: Show, hello: Plan, answer_done: Callable[..., Any]
) -> None:
    answers = {
        "greet": [answer_done(0.1, {"result": "hello world"})],
        "check": [answer_done(0.1, {"result": ""})],
    }
    assert show(hello, answers, live=True) == block("""
hello  run 20261130-141203-7f3a  plan b81f6a33  2 items  engine local  sandbox off, not enforced
  0:00  greet     accepted   result, 11 B
  0:00  check     accepted   exit status 0
""")


def test_failure_is_said_in_upper_case_with_its_reason(
    show: Show, hello: Plan, answer_done: Callable[..., Any], answer_lost: Callable[..., Any]
) -> None:
    answers = {
        "greet": [answer_done(0.1, {"result": "hello moon"})],
        "check": [answer_lost(0.1, "exit status 1; it wrote nothing")],
    }
    assert show(hello, answers).splitlines()[2:] == [
        "  0:00  check     FAILED     exit status 1; it wrote nothing"
    ]


def test_without_a_terminal_there_is_a_line_for_each_event_and_no_table(
    show: Show, fix: Plan, fix_answers: dict[str, Any]
) -> None:
    assert show(fix, fix_answers, each=True) == block("""
fix  run 20261130-141203-7f3a  plan 4c1d09e2  3 items  engine local  sandbox off, not enforced
fix  60 model calls, $4.00   deadline 20:12:03 UTC (6h, default)
  0:00  research  started    researcher@1 may: repository-read
  0:48  research  accepted   notes, 3.1 KiB                                  7 calls  $0.0914
  0:48  build     started    builder@1 may: repository-read, repository-write, test-run
                             $2.00 reserved for it, $1.9086 left for the others
  2:31  build     accepted   diff, summary, 1.0 KiB                         14 calls  $0.7431
  2:31  review    started    reviewer@1 may: repository-read
  3:15  review    accepted   schemas/verdict.json holds; verdict, findings, 9 B  9 calls  $0.2230
""")


def test_on_a_terminal_the_table_stays_below_the_lines(
    show: Show, fix: Plan, fix_answers: dict[str, Any]
) -> None:
    shown = show(fix, fix_answers, each=True, live=True)
    assert shown.rpartition("\x1b[J")[2] == block("""

 item      role        state              attempt     calls  cost                           time
 ───────────────────────────────────────────────────────────────────────────────────────────────
 research  researcher  accepted                 1         7  $0.0914                        0:48
 build     builder     accepted                 1        14  $0.7431 of $2.00  ███░░░░░░░   1:43
 review    reviewer    accepted                 1         9  $0.2230                        0:44
 ───────────────────────────────────────────────────────────────────────────────────────────────
 run                   complete                    30 of 60  $1.0575 of $4.00  ██░░░░░░░░   3:15

""")


def test_table_while_it_runs_shows_who_works_and_who_waits_for_whom(
    show: Show, fix: Plan, fix_answers: dict[str, Any]
) -> None:
    shown = show(fix, fix_answers, each=True, live=True)
    assert (
        block("""
 item      role        state              attempt     calls  cost                           time
 ───────────────────────────────────────────────────────────────────────────────────────────────
 research  researcher  accepted                 1         7  $0.0914                        0:48
 build     builder     running                  1         -  $0.0000 of $2.00  ░░░░░░░░░░   0:00
 review    reviewer    waits for build          -         -  -                                 -
 ───────────────────────────────────────────────────────────────────────────────────────────────
 run                   1 of 4 slots busy            7 of 60  $0.0914 of $4.00  ░░░░░░░░░░   0:48
 Ctrl-C once: stop cleanly, can be resumed.  Twice: at once.
""")
        in shown
    )


def test_redrawing_erases_exactly_the_lines_of_the_table(
    show: Show, fix: Plan, fix_answers: dict[str, Any]
) -> None:
    shown = show(fix, fix_answers, each=True, live=True)
    drawn = shown.split("\x1b[J")[:-1]
    assert len(drawn) > 3
    for text in drawn:
        table = text[text.rindex("\n item ") :]
        assert table.endswith(f"\x1b[{table.count(chr(10))}F")


def test_a_narrower_terminal_erases_the_lines_that_it_has_wrapped(
    play: Callable[..., Any], fix: Plan, fix_answers: dict[str, Any]
) -> None:
    run, written, size = play(fix, fix_answers), list[str](), [(100, 24)]
    now = [0]
    console = Console(written.append, Terminal(), True, False, "", lambda: size[0], lambda: now[0])
    progress = Progress(run.run.state, run.run_id, console)
    events = run.events()
    for event in events:
        now[0] = event.time
        progress(event)
        if event.item == "build":
            break
    progress.draw()
    size[0] = (50, 24)
    now[0] += 1000
    progress.draw()
    table = written[-2].partition("\n\n")[2].rpartition("\n\n")[2].splitlines()
    wrapped = sum(-(-len(line) // 50) for line in table) + 1
    assert written[-1].startswith(f"\x1b[{wrapped}F\x1b[J")


def test_ascii_output_is_the_same_text_through_one_table(
    show: Show, fix: Plan, fix_answers: dict[str, Any]
) -> None:
    plain = show(fix, fix_answers, each=True, live=True)
    twin = show(fix, fix_answers, each=True, live=True, terminal=Terminal(ascii=True))
    assert twin == plain.translate(ASCII_TWINS)
    assert twin.isascii()
    assert not plain.isascii()


def test_colour_only_repeats_a_word(show: Show, fix: Plan, fix_answers: dict[str, Any]) -> None:
    coloured = show(fix, fix_answers, each=True, live=True, terminal=Terminal(color=True))
    plain = show(fix, fix_answers, each=True, live=True)
    for code in ("32", "36", "1", "2", "0"):
        assert f"\x1b[{code}m" in coloured
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == plain


def test_an_attempt_that_is_made_again_says_why_and_when(
    show: Show,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> None:
    plan = make_plan("again", [make_item("flaky", retry=Retry(3, 2000))])
    answers = {"flaky": [answer_lost(1, "exit status 3"), answer_done(1, {"result": "x"})]}
    assert show(plan, answers).splitlines()[1:] == [
        "  0:01  flaky     retried    exit status 3; attempt 2 of 3 in 2s",
        "  0:03  flaky     started    attempt 2",
        "  0:04  flaky     accepted   result, 1 B",
    ]


def test_a_minute_of_silence_says_what_runs(
    play: Callable[..., Any], fix: Plan, fix_answers: dict[str, Any]
) -> None:
    run, written, now = play(fix, fix_answers), list[str](), [0]
    progress = Progress(
        run.run.state, run.run_id, Console(written.append, Terminal(), now=lambda: now[0])
    )
    for event in run.events():
        now[0] = event.time
        progress(event)
        progress.draw()
        if event.item == "build":
            break
    written.clear()
    now[0] += 59_999
    progress.draw()
    assert written == []
    now[0] += 1
    progress.draw()
    assert written == ["  1:48  build     running    1:00\n"]
    now[0] += 1000
    progress.draw()
    assert len(written) == 1


def test_github_gets_an_annotation_beside_the_line(
    show: Show, hello: Plan, answer_done: Callable[..., Any], answer_lost: Callable[..., Any]
) -> None:
    answers = {
        "greet": [answer_done(0.1, {"result": "x"})],
        "check": [answer_lost(0.1, "exit status 1\n::error::no, 100 %")],
    }
    lines = show(hello, answers, github=True).splitlines()
    text = "exit status 1%0A::error::no, 100 %25"
    assert lines[2] == f"::error file=hello.forge.yaml,title=failed%3A check::{text}"


def test_what_a_handler_says_cannot_move_the_cursor(
    show: Show, hello: Plan, answer_lost: Callable[..., Any]
) -> None:
    shown = show(hello, {"greet": [answer_lost(1, "\x1b[2Jgone\u202e\n0:00 greet accepted")]})
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\n" + " " * 29 + "0:00 greet accepted" in shown


def test_long_reasons_are_cut_after_four_lines(
    show: Show, hello: Plan, answer_lost: Callable[..., Any]
) -> None:
    shown = show(hello, {"greet": [answer_lost(1, "word " * 500)]}).splitlines()
    failure = next(i for i, line in enumerate(shown) if "FAILED" in line)
    assert shown[failure + 3].endswith(" ..")
    assert "blocked" in shown[failure + 4]


def test_no_line_is_wider_than_a_hundred_columns(
    show: Show,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> None:
    name = "an-item-whose-name-takes-all-the-sixty-four-characters-of-an-id-"
    other = make_item("b" * 60, after=(name,))
    pairs = [make_item(name, required=False, then="continue"), other]
    answers = {name: [answer_lost(7300, "w" * 300)], "b" * 60: [answer_done(2, {"r": 1})]}
    shown = show(make_plan("n" * 60, pairs), answers, each=True, live=True)
    assert max(map(len, shown.splitlines())) <= 100


def test_a_large_run_speaks_only_of_what_went_wrong(
    show: Show,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
    answer_lost: Callable[..., Any],
) -> None:
    items = [make_item(f"i{number}", required=False, then="continue") for number in range(300)]
    answers = {f"i{number}": [answer_done(1, {"result": ""})] for number in range(300)}
    for number in range(100, 160):
        answers[f"i{number}"] = [answer_lost(1, "exit status 1")]
    lines = show(make_plan("big", items), answers).splitlines()
    assert sum("FAILED" in line for line in lines) == 50
    assert lines[-1].endswith("further failures are not listed here")
    assert len(lines) == 52


def test_a_large_run_shows_no_more_rows_than_the_terminal_has(
    show: Show,
    make_plan: Callable[..., Plan],
    make_item: Callable[..., tuple[Role, Item]],
    answer_done: Callable[..., Any],
) -> None:
    items = [make_item(f"i{number}") for number in range(300)]
    answers = {f"i{number}": [answer_done(1, {"result": ""})] for number in range(300)}
    shown = show(make_plan("big", items), answers, each=True, live=True, size=(100, 12))
    table = shown.split("\x1b[J")[-2].splitlines()
    assert len(table) <= 12
    assert any("more: " in line and "accepted" in line for line in table)


def test_stopping_is_said_and_nothing_is_called_retried(
    show: Show, fix: Plan, answer_lost: Callable[..., Any]
) -> None:
    answers = {"research": [answer_lost(10, "the run got SIGINT", kind="cancelled")]}
    assert show(fix, answers, stop_at=5000).splitlines()[3:] == [
        "  0:05  run       stopping   SIGINT: no new turns; running ones are cancelled"
    ]


def test_a_stream_that_cannot_be_written_ends_the_drawing_and_not_the_run(
    play: Callable[..., Any], hello: Plan, answer_done: Callable[..., Any]
) -> None:
    tried: list[str] = []

    def write(text: str) -> None:
        tried.append(text)
        raise BrokenPipeError

    answers = {
        "greet": [answer_done(0.1, {"result": "x"})],
        "check": [answer_done(0.1, {"result": ""})],
    }
    run = play(hello, answers)
    progress = Progress(run.run.state, run.run_id, Console(write, Terminal()))
    for event in run.events():
        progress(event)
        progress.draw()
    progress.close()
    assert len(tried) == 1
    assert progress.board.status == "complete"


def test_drawing_happens_beside_the_run(
    play: Callable[..., Any], hello: Plan, answer_done: Callable[..., Any]
) -> None:
    written: list[str] = []
    answers = {
        "greet": [answer_done(0.1, {"result": "x"})],
        "check": [answer_done(0.1, {"result": ""})],
    }
    run = play(hello, answers)
    progress = Progress(run.run.state, run.run_id, Console(written.append, Terminal()))
    progress.start()
    for event in run.events():
        progress(event)
    progress.close()
    assert "".join(written).count("accepted") == 2


def test_a_run_that_waits_for_nothing_but_a_decision_says_paused(
    show: Show, fix: Plan, fix_answers: dict[str, Any], answer_lost: Callable[..., Any]
) -> None:
    items = dict(fix.items)
    items["build"] = dataclasses.replace(items["build"], then="escalate")
    answers = {**fix_answers, "build": [answer_lost(5, "it may not be done")]}
    lines = show(dataclasses.replace(fix, items=items), answers).splitlines()
    assert lines[-1] == "  0:53  build     paused     it may not be done"


def test_quiet_shows_nothing_and_keeps_the_board(
    play: Callable[..., Any], hello: Plan, answer_lost: Callable[..., Any], tmp_path: Path
) -> None:
    run = play(hello, {"greet": [answer_lost(1, "exit status 1")]})
    with (tmp_path / "log").open("w") as stream:
        progress = Progress(run.run.state, run.run_id, Console.of(stream, quiet=True, environ={}))
        for event in run.events():
            progress(event)
        progress.close()
    assert (tmp_path / "log").read_text() == ""
    assert progress.board.status == "failed"
