"""Artifacts: bytes kept in files that are named by their digest."""

import re
from pathlib import Path

from forge_cli.canonical import digest_of_bytes
from forge_cli.errors import ForgeError
from forge_cli.ledger import durable

_DIGEST = re.compile(r"sha256:([0-9a-f]{2})([0-9a-f]{62})")


class ArtifactFolder:
    """The artifacts of one run, below its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, data: bytes) -> str:
        """Keep the bytes durably, once; returns their `sha256:<hex>`."""
        digest = digest_of_bytes(data)
        path = self._path(digest)
        # A file of another size is what a full disk or a torn write by other hands left behind.
        if not path.is_file() or path.stat().st_size != len(data):
            durable.make_folder(path.parent)
            durable.write(path, [data])
        return digest

    def get(self, digest: str) -> bytes:
        """The bytes of a digest; `ForgeError` if they are not there or no longer those bytes."""
        path = self._path(digest)
        try:
            data = path.read_bytes()
        except OSError as fault:
            raise ForgeError(
                f"artifact {digest} cannot be read: {fault.strerror or fault} ('{path}')"
            ) from fault
        found = digest_of_bytes(data)
        if found != digest:
            raise ForgeError(
                f"artifact '{path}' was changed: its bytes are {found}; restore it or run again"
            )
        return data

    def _path(self, digest: str) -> Path:
        match = _DIGEST.fullmatch(digest)
        if match is None:
            raise ForgeError(f"{digest!r} is not a digest: it must be sha256: and 64 hex digits")
        return self._folder / match[1] / match[2]
