"""What of the machine every program needs to run at all: it is read, and never written."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from forge_cli.gateway.processes import ROOT

SYSTEM = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
)

SETTINGS = (
    "alternatives",
    "bash.bashrc",
    "ca-certificates",
    "ca-certificates.conf",
    "crypto-policies",
    "debian_version",
    "fonts",
    "gai.conf",
    "gitconfig",
    "group",
    "host.conf",
    "hosts",
    "inputrc",
    "java",
    "ld.so.cache",
    "ld.so.conf",
    "ld.so.conf.d",
    "localtime",
    "locale.alias",
    "locale.conf",
    "lsb-release",
    "magic",
    "mime.types",
    "networks",
    "nsswitch.conf",
    "os-release",
    "passwd",
    "perl",
    "pki",
    "profile",
    "profile.d",
    "protocols",
    "python3",
    "resolv.conf",
    "services",
    "shells",
    "ssl/certs",
    "ssl/openssl.cnf",
    "terminfo",
    "timezone",
)
"""What below /etc programs look at; keys and passwords lie there, too."""

_PARTS = ("bin", "sbin", "lib", "lib64", "libexec", "include", "share", "pyvenv.cfg")
"""What an installation consists of, below the folder that its `bin` is in."""

_PRIVATE = "share"
"""What of a person's own installation holds his data as well."""


def system_paths(search: str, program: str, home: str) -> list[str]:
    """Files and folders that are there: the system's, Python's, and those of programs.

    `search` is the PATH that programs are looked for on, `program` the one that will be started, if
    any, `home` the person's folder, of which nothing is given but what programs consist of.
    """
    paths = [*SYSTEM, *(f"/etc/{name}" for name in SETTINGS), *_python()]
    for folder in search.split(":"):
        if os.path.isabs(folder):
            paths += _installation(folder, home)
    if program:
        for file in (program, os.path.realpath(program)):
            paths += [*_installation(os.path.dirname(file), home), file]
    return list(_needed(paths))


def _needed(paths: list[str]) -> Iterator[str]:
    """Those that are there, without what lies in another of them."""
    there = dict.fromkeys(path for path in map(os.path.normpath, paths) if os.path.exists(path))
    for path in there:
        if not any(str(above) in there for above in Path(path).parents):
            yield path


def _python() -> Iterator[str]:
    """The interpreter that forge runs in, what is installed in it, and forge itself."""
    prefixes = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    yield from sorted(prefixes - {"/", "/usr"})
    given = set(filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)))
    for folder in sys.path:
        if "site-packages" in folder and folder not in given:
            yield folder
    yield f"{ROOT}/forge_cli"


def _installation(folder: str, home: str) -> Iterator[str]:
    """The folder of a program and what belongs to it: for /opt/x/bin also /opt/x/lib and such."""
    above, name = os.path.split(os.path.normpath(folder))
    if above in ("/", "/usr") or _holds(folder, home):
        return
    yield folder
    if name in ("bin", "sbin") and not _holds(above, home):
        own = _holds(home, above)
        for part in _PARTS:
            if part != _PRIVATE or not own:
                yield f"{above}/{part}"


def _holds(folder: str, path: str) -> bool:
    """Whether the path is the folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
