"""The processes below this one are found, and a signal never goes to a stranger."""

import os
import signal
import subprocess
from collections.abc import Iterator

import pytest

from forge_cli.gateway import tree


@pytest.fixture
def child() -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(["/bin/cat"], stdin=subprocess.PIPE) as process:
        yield process
        process.kill()


def test_a_child_is_found_with_its_parent_and_name(child: subprocess.Popen[bytes]) -> None:
    found = {member.pid: member for member in tree.members(os.getpid())}
    assert found[child.pid].parent == os.getpid()


def test_what_is_elsewhere_is_not_found(child: subprocess.Popen[bytes]) -> None:
    assert os.getpid() not in {member.pid for member in tree.members(child.pid)}


def test_a_process_that_has_ended_is_not_there(child: subprocess.Popen[bytes]) -> None:
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert tree.look(child.pid) is None


def test_a_member_gets_the_signal(child: subprocess.Popen[bytes]) -> None:
    member = tree.look(child.pid)
    assert member
    tree.send(member, signal.SIGKILL, os.getpid())
    assert child.wait(timeout=10) == -signal.SIGKILL


@pytest.mark.parametrize("change", [{"started": 1}, {"parent": 2}])
def test_a_pid_that_belongs_to_somebody_else_by_now_gets_nothing(
    child: subprocess.Popen[bytes], change: dict[str, int]
) -> None:
    member = tree.look(child.pid)
    assert member
    tree.send(member._replace(**change), signal.SIGKILL, root=2)
    assert child.stdin
    child.stdin.close()
    assert child.wait(timeout=10) == 0


def test_a_name_with_brackets_and_spaces_is_read(tmp_path) -> None:  # type: ignore[no-untyped-def]
    program = tmp_path / "a) R (b"
    program.symlink_to("/bin/cat")
    with subprocess.Popen([program], stdin=subprocess.PIPE) as process:
        member = tree.look(process.pid)
        process.kill()
    assert member
    assert member.parent == os.getpid()


@pytest.mark.parametrize("fault", [ProcessLookupError, PermissionError])
def test_one_that_ends_or_becomes_anothers_at_the_very_last_is_no_error(
    child: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch, fault: type[OSError]
) -> None:
    def refused(handle: int, number: int) -> None:
        raise fault

    member = tree.look(child.pid)
    assert member
    monkeypatch.setattr(signal, "pidfd_send_signal", refused)
    tree.send(member, signal.SIGKILL, os.getpid())
    assert child.poll() is None


def test_a_kernel_that_gives_nobody_orphans_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kernel:
        def prctl(self, *arguments: int) -> int:
            return -1

    monkeypatch.setattr(tree, "LIBC", Kernel())
    with pytest.raises(OSError, match="this kernel has no child subreaper"):
        tree.adopt_orphans()
