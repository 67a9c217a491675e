"""Functions that are not there, beyond the examples of the rule."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.reading.source import parse

MANIFEST = b"""\
forge: 1
roles: {r: {capabilities: [], handler: {kind: function, call: "h.py:review"}}}
work_items: {a: {role: r}}
"""


def findings(content: bytes) -> list[Finding]:
    return check(parse(MANIFEST), "x.yaml", files=Files(None, {"h.py": content}))


@pytest.mark.parametrize(
    ("content", "note", "hint"),
    [
        (b"def reviews(turn): ...", "did you mean 'reviews'?", "it has: 'reviews'"),
        (b"def supervise(turn): ...", "", "it has: 'supervise'"),
        (b"", "", "write in h.py  def review(turn):"),
    ],
)
def test_a_missing_function_is_told_with_those_that_are_there(
    content: bytes, note: str, hint: str
) -> None:
    (found,) = findings(content)
    assert found.message == "'h.py' has no function 'review'"
    assert (found.spot.note, found.hint) == (note, hint)


def test_a_file_that_does_not_parse_is_told_with_its_line() -> None:
    (found,) = findings(b"import os\ndef review(turn:\n    pass\n")
    assert found.message == "'h.py' is no Python that can be read: line 2: '(' was never closed"
    assert found.hint == "mend line 2 of h.py"


def test_a_file_that_may_define_more_is_let_be() -> None:
    assert findings(b"from elsewhere import *") == []


def test_nothing_of_the_file_is_run() -> None:
    assert findings(b"raise SystemExit('run')\ndef review(turn): ...") == []
