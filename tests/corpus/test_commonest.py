"""Each of the commonest faults is told so that it can be mended from what is said."""

from pathlib import Path

import pytest

from forge_cli.manifest.findings import Finding
from tests.corpus.commonest import FAULTY, FOLDER, kept, said
from tests.corpus.helps import reported, told, typed


@pytest.mark.parametrize("path", FAULTY, ids=lambda path: path.name.partition(".")[0])
def test_what_is_said_is_what_was_reviewed(path: Path) -> None:
    assert said(path) == kept(path).read_text("utf-8")


def test_there_are_twenty_and_each_has_what_is_said_beside_it() -> None:
    assert len(FAULTY) >= 20
    assert sorted(map(kept, FAULTY)) == sorted(FOLDER.glob("*.txt"))


HELPS = [
    pytest.param(path.read_bytes(), finding, id=f"{path.name.partition('.')[0]}-{index}")
    for path in FAULTY
    for index, finding in enumerate(reported(path.read_bytes()).findings)
    if typed(finding, path.read_bytes())
]


@pytest.mark.parametrize(("data", "finding"), HELPS)
def test_what_a_help_prints_mends_the_fault_and_makes_no_other(
    data: bytes, finding: Finding
) -> None:
    mended = typed(finding, data)
    assert mended is not None
    before, after = told(reported(data)), told(reported(mended))
    fault = (finding.rule, finding.message)
    assert after[fault] == before[fault] - 1
    assert after.keys() <= before.keys()


def test_most_helps_print_what_to_type() -> None:
    assert len(HELPS) >= 36
