"""Columns of commands and what they are for."""

from forge_cli.cli.tables import VERDICT_WIDTH, labelled


def test_what_commands_are_for_stands_in_one_column() -> None:
    assert labelled(
        [("look", "forge show", "what it did"), ("go on", "forge resume r", "again")]
    ) == [
        "  look   forge show      what it did",
        "  go on  forge resume r  again",
    ]


def test_a_long_command_moves_no_meaning_of_others() -> None:
    long = "forge resume " + "r" * 60
    assert labelled([("look", "forge show", "what it did " * 2), ("go on", long, "again")]) == [
        "  look   forge show  what it did what it did",
        f"  go on  {long}  again",
    ]


def test_what_a_command_is_for_is_left_out_where_it_has_no_room() -> None:
    rows = labelled([("look", "forge show", "what"), ("go on", "x" * (VERDICT_WIDTH - 9), "again")])
    assert rows == ["  look   forge show  what", "  go on  " + "x" * (VERDICT_WIDTH - 9)]
