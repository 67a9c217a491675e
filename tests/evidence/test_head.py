import pytest

from forge_cli.evidence.head import Head

ROOT = "0d5b2c8e61f793a4d8e0b6172fc59a34817d6ce0925ab3f4c7e81d60b39f2a5c"


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (f"forge-evidence-head {ROOT} 24", Head(ROOT, 24)),
        (f"{ROOT} 24\n", Head(ROOT, 24)),
        (ROOT.upper(), Head(ROOT)),
    ],
)
def test_a_head_is_read_from_the_line_of_a_run(text: str, head: Head) -> None:
    assert Head.parse(text) == head


def test_a_head_is_written_as_it_is_read() -> None:
    assert Head.parse(str(Head(ROOT, 24))) == Head(ROOT, 24)


@pytest.mark.parametrize("text", ["", ROOT[:-1], f"{ROOT} -1", f"{ROOT} 24 25", f"sha256:{ROOT}"])
def test_anything_else_is_no_head(text: str) -> None:
    with pytest.raises(ValueError, match="is not a head; give the 64 hex digits"):
        Head.parse(text)
