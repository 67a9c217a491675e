"""The command `forge explain`."""

import pytest

from forge_cli.__main__ import main


def test_a_word_is_explained_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "3"]) == 0
    assert capsys.readouterr().out == "3: exit code\n  degraded; 0 with --allow-degraded\n"


def test_an_unknown_word_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "unknown-kee"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "did you mean  forge explain unknown-key?" in captured.err
