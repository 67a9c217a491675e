"""What a turn is doing, as far as its handler tells, is shown while it does it."""

from collections.abc import Callable
from typing import Any

import pytest

from forge_cli.cli.console import Console
from forge_cli.cli.progress import Progress
from forge_cli.cli.terminal import Terminal
from forge_cli.multiagent.plan import Plan


class Watched:
    """A run that stands still while `build` is being done; what is written of it."""

    def __init__(self, run: Any, live: bool = False, verbose: bool = False) -> None:
        self.written: list[str] = []
        self._now = 0
        console = Console(self.written.append, Terminal(), live, now=lambda: self._now)
        self.progress = Progress(run.run.state, run.run_id, console, verbose)
        self._events = run.events()
        self.go_on()
        self.progress.draw()
        self.written.clear()

    def go_on(self) -> None:
        """Take events in up to the next one of `build`."""
        for event in self._events:
            self._now = event.time
            self.progress(event)
            if event.item == "build":
                return

    def later(self, milliseconds: int) -> str:
        """What is written when that much time has passed."""
        self._now += milliseconds
        self.written.clear()
        self.progress.draw()
        return "".join(self.written)


Watch = Callable[..., Watched]


@pytest.fixture
def watch(play: Callable[..., Any], fix: Plan, fix_answers: dict[str, Any]) -> Watch:
    return lambda **options: Watched(play(fix, fix_answers), **options)


def test_the_table_says_it_below_the_item(watch: Watch) -> None:
    watched = watch(live=True)
    watched.progress.tell("build", "Edit src/a.py")
    watched.progress.tell("build", "Bash pytest -q")
    shown = watched.later(1_000)
    assert "           └ Bash pytest -q\n" in shown
    assert "src/a.py" not in shown


def test_it_is_gone_once_the_turn_has_ended(watch: Watch) -> None:
    watched = watch(live=True)
    watched.progress.tell("build", "Bash pytest -q")
    watched.go_on()
    assert "Bash" not in watched.later(1_000)


def test_without_a_terminal_a_minute_of_silence_says_it(watch: Watch) -> None:
    watched = watch()
    watched.progress.tell("build", "Bash pytest -q")
    assert watched.later(59_999) == ""
    assert watched.later(1) == "  1:48  build     running    1:00, Bash pytest -q\n"


def test_verbose_each_has_a_line(watch: Watch) -> None:
    watched = watch(verbose=True)
    watched.progress.tell("build", "Edit src/a.py")
    watched.progress.tell("build", "Bash pytest -q")
    assert watched.later(0).splitlines() == [
        "  0:48  build     running    Edit src/a.py",
        "  0:48  build     running    Bash pytest -q",
    ]


@pytest.mark.parametrize("live", [True, False])
def test_it_cannot_move_the_cursor(watch: Watch, live: bool) -> None:
    watched = watch(live=live)
    watched.progress.tell("build", "\x1b[2Jgone\u202e")
    shown = watched.later(60_000)
    assert "gone" in shown
    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown
