"""Plug-ins are found by what their distributions say; nothing of them is imported."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forge_cli.handlers.installed import PlugIn, installed, named, search_path

Install = Callable[..., Path]


def offered(*kinds: str) -> list[PlugIn]:
    """The plug-ins that are none of the environment's own."""
    return [each for each in installed(kinds) if each.distribution.startswith("acme")]


def test_a_plug_in_has_a_kind_a_target_and_an_origin(install: Install) -> None:
    install("acme", "acme-shell = no_such_module:Shell", version="1.2")
    (found,) = offered()
    assert found == PlugIn("acme-shell", "no_such_module:Shell", "acme", "1.2")
    assert found.origin == "acme 1.2"
    assert named("acme-shell") == found
    assert named("acme") is None


def test_comments_extras_and_other_groups_are_read_over(install: Install) -> None:
    install("acme", "# none", "", "a = m:A [extra]", "[console_scripts]", "b = m:b", "[x]")
    assert [(each.kind, each.target) for each in offered()] == [("a", "m:A")]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Shell = m:Shell", "its name is no id"),
        ("agent = m:Agent", "forge has a handler kind 'agent' of its own"),
        ("a = m", "its entry point is 'm', not  module:Class"),
        ("a", "its entry point is '', not  module:Class"),
        ("a = m:x; import os", "its entry point is 'm:x; import os', not  module:Class"),
    ],
)
def test_what_an_entry_point_says_wrongly_is_told(
    install: Install, line: str, problem: str
) -> None:
    install("acme", line)
    (found,) = offered("agent", "command")
    assert found.problem.startswith(problem)


def test_two_distributions_with_one_kind_are_both_named(install: Install) -> None:
    install("acme-one", "a = m:A")
    install("acme-two", "a = m:A", version="2")
    clash = "acme-one 1.0 and acme-two 2 offer a handler kind of this name; uninstall all but one"
    assert [each.problem for each in offered()] == [clash, clash]


def test_of_one_distribution_installed_twice_the_first_on_the_path_counts(
    install: Install,
) -> None:
    install("acme_shell", "a = m:Old")
    install("Acme-Shell", "a = m:New", version="2")
    (found,) = [each for each in installed() if each.kind == "a"]
    assert (found.target, found.problem) == ("m:New", "")


def test_one_bad_line_or_file_of_a_distribution_hides_no_other(install: Install) -> None:
    install("acme-bad", "what is this", "good = m:Good")
    broken = install("acme-worse", "a = m:A")
    (entry_points,) = broken.glob("*.dist-info/entry_points.txt")
    entry_points.write_bytes(b"[forge.handlers]\n\xff\xfe = m:A\n")
    assert [each.kind for each in offered() if not each.problem] == ["good"]


def test_a_distribution_without_metadata_is_found(install: Install) -> None:
    folder = install("acme", "acme-lost = m:A")
    (metadata,) = folder.glob("*.dist-info/METADATA")
    metadata.unlink()
    found = named("acme-lost")
    assert found is not None
    assert found.origin == "(unnamed)"


def test_another_finder_of_distributions_changes_nothing(install: Install) -> None:
    install("acme", "acme-shell = m:Shell")
    program = (
        "import sys; sys.path[:] = sys.argv[1:]; import importlib_metadata\n"
        "from forge_cli.handlers.installed import named; print(named('acme-shell').origin)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, *search_path()], capture_output=True, text=True, check=True
    )
    assert ended.stdout == "acme 1.0\n"
