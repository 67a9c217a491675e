"""How progress is written to a stream."""

from pathlib import Path

from forge_cli.cli.console import Console


def test_text_goes_past_the_buffer_of_a_stream(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w", encoding="ascii") as stream:
        Console.of(stream, environ={}).write("caf\u00e9\n")
        assert (tmp_path / "log").read_text() == "caf\\xe9\n"


def test_a_file_is_no_live_terminal_and_a_job_gets_annotations(tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as stream:
        console = Console.of(stream, manifest="a.yaml", environ={"GITHUB_ACTIONS": "true"})
    assert (console.live, console.github, console.manifest) == (False, True, "a.yaml")
