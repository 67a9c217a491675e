"""What kernels are told, as far as their version of Landlock knows it."""

import os
from pathlib import Path

import pytest

from forge_cli.gateway.sandbox import landlock
from forge_cli.gateway.sandbox.landlock import (
    ADD_RULE,
    CREATE_RULESET,
    IOCTL_DEV,
    MAKE_SYM,
    OF_FILES,
    PR_CAPBSET_DROP,
    READ,
    READ_DIR,
    REFER,
    RESTRICT_SELF,
    TCP,
    TRUNCATE,
    WRITE,
    Ruleset,
)
from tests.gateway.sandbox.kernel import Kernel


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Kernel:
    found = Kernel(version=7)
    monkeypatch.setattr(landlock, "LIBC", found)
    return found


@pytest.mark.parametrize(
    ("version", "newest", "network", "scoped"),
    [
        (1, MAKE_SYM, 0, 0),
        (2, REFER, 0, 0),
        (3, TRUNCATE, 0, 0),
        (4, TRUNCATE, TCP, 0),
        (5, IOCTL_DEV, TCP, 0),
        (6, IOCTL_DEV, TCP, 3),
        (7, IOCTL_DEV, TCP, 3),
    ],
)
def test_a_kernel_is_asked_for_all_that_its_version_can_forbid(
    kernel: Kernel, version: int, newest: int, network: int, scoped: int
) -> None:
    kernel.version = version
    Ruleset(network=False).enter()
    assert kernel.handled == (2 * newest - 1, network, scoped)
    Ruleset(network=True).enter()
    assert kernel.handled == (2 * newest - 1, 0, scoped)


def test_a_kernel_without_landlock_has_version_0(kernel: Kernel) -> None:
    kernel.version = 0
    assert landlock.version() == 0


def test_a_rule_allows_what_the_kernel_knows_and_of_a_file_what_files_have(
    kernel: Kernel, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    kernel.version = 2
    rules = Ruleset(network=False)
    rules.allow(str(tmp_path), "write")
    rules.allow(str(tmp_path / "file"), "write")
    rules.allow(str(tmp_path / "missing"), "read")
    assert kernel.rules == {
        str(tmp_path): WRITE & ~TRUNCATE,
        str(tmp_path / "file"): WRITE & OF_FILES & ~TRUNCATE,
    }
    rules.enter()


def test_below_a_folder_a_link_is_nothing_but_itself(kernel: Kernel, tmp_path: Path) -> None:
    (tmp_path / "home/src").mkdir(parents=True)
    (tmp_path / "home/out").symlink_to(tmp_path)
    home = os.open(tmp_path / "home", os.O_RDONLY)
    rules = Ruleset(network=False)
    for path in ("", "src", "out", "out/home"):
        rules.allow(path, "list" if path == "" else "read", home)
    os.close(home)
    assert kernel.rules == {
        str(tmp_path / "home"): READ_DIR,
        str(tmp_path / "home/src"): READ,
        str(tmp_path / "home/out"): READ & OF_FILES,
    }
    rules.enter()


def test_who_is_held_has_no_capability_left(kernel: Kernel) -> None:
    Ruleset(network=False).enter()
    assert (kernel.held, kernel.capabilities) == (True, 0)


@pytest.mark.parametrize("call", [CREATE_RULESET, ADD_RULE, RESTRICT_SELF])
def test_a_refusal_of_the_kernel_is_an_error(kernel: Kernel, tmp_path: Path, call: int) -> None:
    def hold() -> None:
        rules = Ruleset(network=False)
        rules.allow(str(tmp_path), "read")
        rules.enter()

    kernel.refuses = call
    with pytest.raises(OSError, match="Landlock: "):
        hold()


def test_capabilities_that_cannot_be_given_up_are_an_error(kernel: Kernel) -> None:
    kernel.refuses = PR_CAPBSET_DROP
    with pytest.raises(OSError, match="capabilities cannot be given up"):
        Ruleset(network=False).enter()
