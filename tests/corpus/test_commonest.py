"""Each of the commonest faults is told so that it can be mended from what is said."""

from pathlib import Path

import pytest

from tests.corpus.commonest import FAULTY, FOLDER, kept, said


@pytest.mark.parametrize("path", FAULTY, ids=lambda path: path.name.partition(".")[0])
def test_what_is_said_is_what_was_reviewed(path: Path) -> None:
    assert said(path) == kept(path).read_text("utf-8")


def test_there_are_twenty_and_each_has_what_is_said_beside_it() -> None:
    assert len(FAULTY) >= 20
    assert sorted(map(kept, FAULTY)) == sorted(FOLDER.glob("*.txt"))
