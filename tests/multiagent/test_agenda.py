"""An agenda: who is due, and when to look again."""

from forge_cli.multiagent.agenda import Agenda


def agenda() -> Agenda:
    found = Agenda()
    for time, name in ((30, "c"), (10, "b"), (10, "a")):
        found.add(time, name)
    return found


def test_who_is_due_comes_in_order_of_time_and_then_name() -> None:
    assert list(agenda().due(10)) == ["a", "b"]
    assert list(agenda().due(99)) == ["a", "b", "c"]


def test_nobody_is_due_before_the_first_time() -> None:
    assert list(agenda().due(9)) == []


def test_the_following_time_is_later_than_now() -> None:
    assert agenda().following(9) == 10
    assert agenda().following(10) == 30
    assert agenda().following(30) is None


def test_who_was_removed_is_not_due() -> None:
    found = agenda()
    found.remove(10, "a")
    assert list(found.due(99)) == ["b", "c"]


def test_removing_who_is_not_there_changes_nothing() -> None:
    found = agenda()
    found.remove(10, "c")
    found.remove(99, "a")
    assert list(found.due(99)) == ["a", "b", "c"]


def test_the_first_time_may_be_past_and_is_none_where_nobody_waits() -> None:
    agenda = Agenda()
    assert agenda.first() is None
    agenda.add(7, "b")
    agenda.add(5, "a")
    assert agenda.first() == 5


def test_who_is_added_twice_is_due_once() -> None:
    found = agenda()
    found.add(10, "a")
    assert list(found.due(99)) == ["a", "b", "c"]
    found.remove(10, "a")
    assert list(found.due(99)) == ["b", "c"]
