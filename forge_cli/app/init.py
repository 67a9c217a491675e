"""The first manifest of a folder, and the JSON Schema that an editor checks it with."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from forge_cli.errors import ForgeError
from forge_cli.manifest.reading.discovery import discover

MANIFEST = "hello.forge.yaml"
SCHEMA = ".forge/manifest.schema.json"

_HELLO = """\
# yaml-language-server: $schema=.forge/manifest.schema.json
forge: 1
inputs: {who: {default: world}}
work_items:
  greet:
    run: [echo, "hello ${inputs.who}"]
    capabilities: []                            # a grant lists what is allowed; [] is nothing
  check:
    script: test "$INPUT_GREETING" = "hello world"
    with: {greeting: "${items.greet.outputs.result}"}    # a reference is also an order
    capabilities: []
"""


@dataclass(frozen=True, slots=True)
class Made:
    """What `init` did: each file with whether it was written.

    `manifest` is None where the folder had manifests already, and got no other.
    """

    manifest: Path | None
    schema: Path
    schema_written: bool
    lines: int


def init(folder: Path) -> Made:
    """Write the schema and, where there is no manifest yet, the first one.

    `ForgeError` if something else has the manifest's name, or a file cannot be written. A schema
    that is there already is kept.
    """
    manifest, schema = folder / MANIFEST, folder / SCHEMA
    first = not has_manifests(folder)
    if first and (manifest.is_symlink() or manifest.exists()):
        raise ForgeError(
            f"'{manifest}' is there already and stays as it is; "
            "give another folder (`forge init DIR`), or move it away"
        )
    try:
        schema.parent.mkdir(parents=True, exist_ok=True)
        _ignore(schema.parent)
        written = _write_new(schema, _schema())
        if first:
            _write_new(manifest, _HELLO.encode())
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise ForgeError(
            f"'{fault.filename or folder}' cannot be written: {reason}; "
            "give a folder that can (`forge init DIR`)"
        ) from fault
    return Made(manifest if first else None, schema, written, _HELLO.count("\n"))


def has_manifests(folder: Path) -> bool:
    """Whether `forge validate` would find something there."""
    return folder.is_dir() and bool(discover([str(folder)]).files)


def _schema() -> bytes:
    return (files("forge_cli.manifest.shape") / "data" / "manifest.schema.json").read_bytes()


def _ignore(folder: Path) -> None:
    """Keep git from taking in what forge keeps for itself."""
    _write_new(folder / ".gitignore", b"*\n")


def _write_new(path: Path, data: bytes) -> bool:
    """Write a file unless there is one; says whether it did."""
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        return False
    return True
