"""The last lines of what a failing turn wrote."""

from forge_cli.cli.tail import tail

TRACE = """\
starting
Traceback (most recent call last):
  File "/w/handlers.py", line 9, in review
    return parse(turn)
           ^^^^^^^^^^^
  File "/usr/lib/python3.11/json/__init__.py", line 346, in loads
    return _default_decoder.decode(s)
           ^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode
    obj, end = self.raw_decode(s)
               ~~~~~~~~~~~~~~~^^^
ValueError: no JSON
"""


def test_the_last_lines_are_told_without_blank_ones() -> None:
    assert tail("a\n\nb\nc\n", "exit status 1", 2) == ["b", "c"]


def test_an_error_that_is_the_reason_is_not_told_again() -> None:
    assert tail("a\nValueError: no\n", "h.py:3: ValueError: no", 5) == ["a"]


def test_a_traceback_has_the_author_s_own_frame_and_the_innermost() -> None:
    assert tail(TRACE, "handlers.py:9: ValueError: no JSON", 5) == [
        "starting",
        '  File "/w/handlers.py", line 9, in review',
        "    return parse(turn)",
        '  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode',
        "    obj, end = self.raw_decode(s)",
    ]


def test_a_traceback_that_is_cut_begins_with_a_whole_frame() -> None:
    cut = TRACE[TRACE.index("    return parse") :]
    assert tail(cut, "ValueError: no JSON", 5) == [
        '  File "/usr/lib/python3.11/json/decoder.py", line 337, in decode',
        "    obj, end = self.raw_decode(s)",
    ]


def test_a_traceback_of_one_frame_is_told_once() -> None:
    trace = 'Traceback (most recent call last):\n  File "/w/h.py", line 2, in f\n    1 / 0\nZ: no\n'
    assert tail(trace, "h.py:2: Z: no", 5) == ['  File "/w/h.py", line 2, in f', "    1 / 0"]


def test_indented_lines_that_are_no_traceback_are_let_be() -> None:
    assert tail("found:\n  a\n  b\n", "exit status 1", 5) == ["found:", "  a", "  b"]


def test_nothing_written_has_no_lines() -> None:
    assert tail("", "", 5) == []
