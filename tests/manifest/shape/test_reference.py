"""What is said of each key, for people."""

from forge_cli.manifest.shape.reference import entries


def test_equal_meanings_of_a_key_are_told_once_with_all_their_owners() -> None:
    meanings = entries()["return_channel"]
    assert [set(entry.owners) for entry in meanings] == [{"Delegation", "Item", "SubTask"}]


def test_different_meanings_of_a_key_are_told_apart() -> None:
    assert {entry.owners[0] for entry in entries()["env"]} == {"Manifest", "Command"}


def test_values_of_a_choice_between_words_and_a_mapping_are_listed() -> None:
    (entry,) = entries()["on_failure"]
    assert "escalate" in entry.values
