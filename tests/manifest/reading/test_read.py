"""Reading the bytes of a manifest: what is no readable file is one sentence."""

import os
import socket
from pathlib import Path

import pytest

from forge_cli.errors import ForgeError
from forge_cli.manifest.reading.source import read, read_stream


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_bytes(b"a: 1\n")
    assert read(tmp_path / "m.yaml") == b"a: 1\n"


def test_25_what_is_no_readable_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    sentences = {
        str(tmp_path / "dangling"): "is a link to 'nowhere', which does not exist",
        str(tmp_path / "loop"): "is a link that leads back to itself",
        str(tmp_path / "folder"): "is a folder, not a file that holds a manifest",
        str(tmp_path / "pipe"): "is a named pipe, not a file that holds a manifest",
        "/dev/zero": "is a device, not a file that holds a manifest",
        str(tmp_path / "missing"): "does not exist",
        str(tmp_path / "file" / "x"): (
            "does not exist: a part of its path is a file, not a folder"
        ),
        str(tmp_path / ("n" * 300)): "does not exist: the name is too long",
        "/proc/self/mem": "cannot be read: Input/output error",
    }
    for name, sentence in sentences.items():
        with pytest.raises(ForgeError) as refused:
            read(name)
        assert str(refused.value) == f"'{name}' {sentence}"


def test_25_a_socket_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s")
        with pytest.raises(ForgeError, match="'s' is a socket"):
            read("s")


def test_26_a_name_may_hold_any_byte(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/a\n\x1b[31m\xff.yaml")
    Path(name).write_bytes(b"a: 1\n")
    assert read(name) == b"a: 1\n"


def test_27_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "big").open("wb") as file:
        file.truncate(100 * 2**20)
    with pytest.raises(ForgeError, match="is larger than 8388608 bytes, the limit"):
        read(tmp_path / "big")


def test_27_the_limit_itself_is_allowed(tmp_path: Path) -> None:
    (tmp_path / "m").write_bytes(b"12345")
    assert read(tmp_path / "m", max_size=5) == b"12345"


def test_27_size_is_judged_by_what_is_read() -> None:
    assert read("/proc/self/status").startswith(b"Name:")
    with pytest.raises(ForgeError, match="larger than 3 bytes"):
        read("/proc/self/status", max_size=3)


def test_27_a_stream_without_end_is_refused() -> None:
    zeros = os.open("/dev/zero", os.O_RDONLY)
    try:
        with pytest.raises(ForgeError, match="'<stdin>' is larger than 1000 bytes"):
            read_stream(zeros, "<stdin>", max_size=1000)
    finally:
        os.close(zeros)
