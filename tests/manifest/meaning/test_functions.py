"""Names that a Python file defines, as its syntax tells them."""

import pytest

from forge_cli.manifest.meaning.functions import MAX_PARSED, definitions


@pytest.mark.parametrize(
    "text",
    [
        "def f(turn): ...",
        "async def f(turn): ...",
        "class f: ...",
        "f = lambda turn: {}",
        "f: object = print",
        "import f",
        "import f.g",
        "from a import f",
        "from a import b as f",
        "try:\n    import a as f\nexcept ImportError:\n    pass",
        "if True:\n    def f(turn): ...",
        "with open('x') as f: ...",
        "(a, f) = 1, 2",
    ],
)
def test_a_name_that_is_bound_at_the_top_is_defined(text: str) -> None:
    found = definitions(text.encode())
    assert "f" in found.names
    assert not found.open


@pytest.mark.parametrize(
    "text", ["def g(turn):\n    def f(): ...", "class g:\n    f = 1", "f()", "a.f = 1"]
)
def test_a_name_that_is_bound_elsewhere_is_not(text: str) -> None:
    assert "f" not in definitions(text.encode()).names


@pytest.mark.parametrize(
    "text",
    [
        "from a import *",
        "globals()['f'] = print",
        "def __getattr__(name): ...",
        "def g():\n    global f\n    f = 1",
        "exec('f = 1')",
        "-" * 200_000 + "1",
        "#" * (MAX_PARSED + 1),
    ],
    ids=["star", "globals", "getattr", "global", "exec", "deep", "large"],
)
def test_a_file_that_may_define_more_than_its_text_tells_is_open(text: str) -> None:
    found = definitions(text.encode())
    assert found.open
    assert not found.fault


@pytest.mark.parametrize(
    ("content", "fault", "line"),
    [
        (b"x = 1\ndef f(:\n", "line 2: ", 2),
        (b"\0", "", 0),
        (b"# coding: nonsense\n", "", 0),
        (b"\xff", "", 0),
    ],
    ids=["syntax", "null", "coding", "bytes"],
)
def test_a_file_that_cannot_be_parsed_says_why(content: bytes, fault: str, line: int) -> None:
    found = definitions(content)
    assert found.fault.startswith(fault)
    assert found.fault
    assert found.line >= line
    assert found.names == frozenset()


def test_only_functions_are_listed_as_functions() -> None:
    assert definitions(b"import a\nx = 1\ndef f(turn): ...\n").functions == ("f",)
