from hypothesis import given
from hypothesis import strategies as st

from forge_cli.evidence.layout import file_name

names = st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=300
) | st.sampled_from(
    [
        "stdout",
        "stderr",
        "stdout.txt",
        "output",
        "turn-1",
        "..",
        ".",
        "A",
        "a",
        "a/b",
        "a:b",
        "a%2fb",
    ]
)


@given(st.lists(names, unique=True, max_size=8))
def test_different_names_have_different_files_on_a_case_blind_disk(several: list[str]) -> None:
    assert len({file_name(name).casefold() for name in several}) == len(several)


@given(names)
def test_a_name_stays_within_its_folder_and_the_length_of_names(name: str) -> None:
    made = file_name(name)
    assert "/" not in made
    assert not made.startswith(".")
    assert made.isascii()
    assert 0 < len(made) <= 200


def test_streams_are_text_files_and_plain_names_stay() -> None:
    assert [file_name(name) for name in ("stdout", "stderr", "report.json")] == [
        "stdout.txt",
        "stderr.txt",
        "report.json",
    ]


def test_names_that_the_layout_uses_itself_are_escaped() -> None:
    taken = {"stdout.txt", "stderr.txt", "output", "turn-7"}
    assert {file_name(name) for name in taken}.isdisjoint(taken)
