"""The way down from a folder: no link, no `..`, no path from the root, however it is gone."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from forge_cli.gateway import beneath
from forge_cli.gateway.beneath import WALKS, open_beneath

OPENS = 100_000
"""Opens against a link that comes and goes."""

READ = os.O_RDONLY

FLIP = """
import os
os.symlink("../outside", "link")
while True:
    os.rename("src", "aside")
    os.rename("link", "src")
    os.rename("src", "link")
    os.rename("aside", "src")
"""


@pytest.fixture(params=["call", "walk"])
def way(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Callable[[int, str, int], int]:
    if request.param == "walk":
        monkeypatch.setattr(beneath, "WALKS", True)
    elif WALKS:
        pytest.skip("this kernel has no openat2")
    return open_beneath


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a").write_text("outside")
    (tmp_path / "home" / "src").mkdir(parents=True)
    (tmp_path / "home" / "src" / "a").write_text("inside")
    (tmp_path / "home" / "out").symlink_to("../outside")
    (tmp_path / "home" / "near").symlink_to("src")
    (tmp_path / "home" / "src" / "self").symlink_to("/proc/self/root")
    (tmp_path / "home" / "src" / "b").symlink_to("a")
    descriptor = os.open(tmp_path / "home", os.O_RDONLY | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def test_a_file_below_the_folder_is_opened(way: Callable[..., int], folder: int) -> None:
    with os.fdopen(way(folder, "src/a", READ)) as file:
        assert file.read() == "inside"


@pytest.mark.parametrize("path", ["out/a", "near/a", "src/b", "src/self/etc/passwd", "src/self"])
def test_a_link_at_any_part_leads_nowhere(way: Callable[..., int], folder: int, path: str) -> None:
    with pytest.raises(OSError, match=f"Errno {errno.ELOOP}"):
        way(folder, path, READ)


@pytest.mark.parametrize("path", ["../outside/a", "src/../../outside/a", "/etc/passwd"])
def test_no_path_leads_above_the_folder(way: Callable[..., int], folder: int, path: str) -> None:
    with pytest.raises(OSError, match=f"Errno {errno.EXDEV}"):
        way(folder, path, READ)


def test_a_nul_is_no_end_of_a_path(way: Callable[..., int], folder: int) -> None:
    with pytest.raises(ValueError, match=r"NUL|null"):
        way(folder, "src/a\0b", READ)


def test_a_name_that_is_too_long_is_refused(way: Callable[..., int], folder: int) -> None:
    with pytest.raises(OSError, match=f"Errno {errno.ENAMETOOLONG}"):
        way(folder, "n" * 256, READ)


def test_a_folder_that_is_swapped_for_a_link_lets_nobody_out(
    way: Callable[..., int], folder: int, tmp_path: Path
) -> None:
    seen = {"inside": 0, "nothing": 0}
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", FLIP], cwd=tmp_path / "home") as flip:
        try:
            while sum(seen.values()) < OPENS or not all(seen.values()):
                try:
                    descriptor = way(folder, "src/a", READ)
                except OSError:
                    seen["nothing"] += 1
                    continue
                seen[os.read(descriptor, 100).decode()] += 1  # a KeyError is an escape
                os.close(descriptor)
        finally:
            flip.kill()
