"""What arguments of tools reach, held against scopes: paths, folders, addresses."""

import socket
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import pytest

from forge_cli.gateway import reach
from forge_cli.gateway.reach import Reach, Refused, off_limits
from forge_cli.multiagent.grants import Grant
from forge_cli.multiagent.scope import matches
from forge_cli.multiagent.terms import Json

READ = frozenset({"file-read"})
WRITE = frozenset({"file-read", "file-write"})
NETWORK = frozenset({"network"})
GRANT = Grant(
    scope=("files:src/**", "files:docs/.notes", "net:example.org:443"),
    writes=("files:src/out/**",),
)


def look(
    value: Json,
    grant: Grant,
    actions: frozenset[str],
    workspace: Path,
    own: Collection[str] = (),
) -> Refused:
    """Why the only argument of a call is not held; without a reason if it is."""
    return Reach(grant, actions, workspace, own).refusal(value) or Refused("")


def unreachable(*words: Any) -> str:
    return look(*words).reason


def touched(*words: Any) -> str:
    return look(*words).touches


@pytest.fixture(autouse=True)
def addresses(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What names of hosts stand for; those that are not in it are of no address."""
    known = {"example.org": "93.184.215.14"}

    def look_up(host: str, *_: object, **__: object) -> list[tuple[object, ...]]:
        if host not in known:
            raise socket.gaierror(f"no address for {host}")
        return [(0, 0, 0, "", (known[host], 0))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Files within the scope and beyond, links, and folders that hold both."""
    for name in ("src/a.py", "src/out/b.txt", "docs/.notes", "docs/c.md", "src/deep/.hidden"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x", "utf-8")
    (tmp_path / "src/empty").mkdir()
    (tmp_path / "src/etc").symlink_to("/etc")
    (tmp_path / "src/link.py").symlink_to(tmp_path / "docs/c.md")
    return tmp_path


@pytest.mark.parametrize(
    "value",
    [
        "src/a.py",
        "docs/.notes",
        "src/new/file.py",
        "src/out/",
        "src/empty",
        ["src/a.py", "src/out/b.txt"],
        "https://example.org/a?b=c",
        "https://EXAMPLE.org:443",
    ],
)
def test_what_lies_within_the_scope_is_reached(workspace: Path, value: Json) -> None:
    assert unreachable(value, GRANT, READ, workspace) == ""


def test_an_absolute_path_below_the_workspace_is_one_from_it(workspace: Path) -> None:
    assert unreachable(f"{workspace}/src/a.py", GRANT, READ, workspace) == ""


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("docs/c.md", "'docs/c.md' is denied: its scope is files:src/**"),
        ("src/../docs/c.md", "it is no path below the workspace"),
        ("/etc/passwd", "it is no path below the workspace"),
        ("/proc/self/environ", "it is no path below the workspace"),
        ("src//a.py", "it is no path below the workspace"),
        ("src/a\0.py", "it is no path below the workspace"),
        ("/", "it is no path below the workspace"),
        ("~/.ssh/id", "it holds '~'"),
        ("SRC/a.py", "its scope is"),
        ("docs/.note\u0455", "its scope is"),
        ("src/.env", "its scope is"),
        ("src/" + "a" * 5_000, "is denied"),
        ("src/etc/passwd", "it leads through a link"),
        ("src/etc", "it leads through a link"),
        ("src/link.py", "it leads through a link"),
        ("src/deep", "it reaches 'src/deep/.hidden', and its scope is"),
        ("docs", "its scope is"),
        (".", "its scope is"),
        ("", "its scope is"),
        (["src/a.py", "docs/c.md"], "'docs/c.md' is denied"),
        ([], "an empty list does not say what it reaches"),
        (7, "7 is neither a path nor an address"),
        ({"path": "src/a.py"}, "is neither a path nor an address"),
        ([["src/a.py"]], "is neither a path nor an address"),
        ("file:///etc/passwd", "it does not say which host and port"),
        ("http://example.org/", "its scope is"),
        ("https://example.org@evil.example/", "'https://example.org@evil.example/' is denied"),
        ("https://evil.example\\@example.org/", "it has characters that no address has"),
        ("https://example.org.evil.example/", "its scope is"),
        ("https://169.254.169.254/", "its scope is"),
        ("https://0x7f000001/", "names no canonical host"),
        ("https://[::1]/", "names no canonical host"),
        ("https://example.org:99999/", "Port out of range"),
    ],
)
def test_what_lies_beyond_is_denied(workspace: Path, value: Json, told: str) -> None:
    assert told in unreachable(value, GRANT, READ, workspace)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("~/notes/keys.txt", "it holds '~'"),
        ("~root/x", "it holds '~'"),
        ("src/{a,../b}", "it holds '{'"),
        ("src\\..\\..\\x", "it holds '\\\\'"),
        ("a\nb", "it holds the invisible character U+000A"),
        ("src/\u202eb", "it holds the invisible character U+202E"),
        ("cafe\u0301", "it is not in Unicode's composed form"),
        ("file:/etc/passwd", "may be taken for a scheme"),
        ("C:/x", "may be taken for a scheme"),
        ("%2e%2e/etc/passwd", "its '%'"),
        ("$HOME/x", "its '$'"),
        ("src/*", "its '*'"),
    ],
)
def test_what_a_server_may_take_for_something_else_is_denied(
    workspace: Path, value: str, told: str
) -> None:
    found = unreachable(value, Grant(scope=("files:**",)), READ, workspace)
    assert "is denied: " in found
    assert told in found


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("src/out/new.txt", ""),
        ("src/out", ""),
        ("src/a.py", "'src/a.py' is denied: its writes is files:src/out/**"),
        ("src", "it reaches"),
    ],
)
def test_who_writes_reaches_what_may_be_written(workspace: Path, value: str, told: str) -> None:
    assert told in (found := unreachable(value, GRANT, WRITE, workspace))
    assert bool(found) == bool(told)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("example.org:443", ""),
        ("example.org", "needs a port"),
        ("example.org:80", "its scope is"),
        ("src/a.py", "is denied"),
        ("", "no address"),
    ],
)
def test_who_only_uses_the_network_names_hosts(workspace: Path, value: str, told: str) -> None:
    assert told in (found := unreachable(value, GRANT, NETWORK, workspace))
    assert bool(found) == bool(told)


def test_a_folder_with_too_much_below_it_is_denied(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "MOST", 2)
    for number in range(3):
        (workspace / f"src/out/{number}").touch()
    assert "too many to look at" in unreachable("src/out", GRANT, READ, workspace)


def test_what_is_looked_at_is_counted_over_all_arguments_of_a_call(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "MOST", 2)
    looking = Reach(GRANT, READ, workspace)
    assert looking.refusal(["src/out", "src/out"]) is None
    refused = looking.refusal("src/out")
    assert refused
    assert "too many to look at" in refused.reason


def test_nothing_is_reached_without_a_scope(workspace: Path) -> None:
    found = unreachable("src/a.py", Grant(), READ, workspace)
    assert found == "'src/a.py' is denied: its scope is nothing"


def test_an_address_is_held_by_its_host_and_port() -> None:
    assert off_limits("https://example.org/mcp", GRANT) is None
    refused = off_limits("https://other.example/mcp", GRANT)
    assert refused
    assert "its scope is" in refused.reason


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "127.8.9.1", "::1", "0.0.0.0", "::ffff:127.0.0.1"),
        *("169.254.169.254", "fe80::1%eth0", "fd00:ec2::254", "100.100.100.200"),
    ],
)
def test_a_granted_name_that_stands_for_this_machine_is_denied(
    workspace: Path, addresses: dict[str, str], address: str
) -> None:
    addresses["example.org"] = address
    found = unreachable("https://example.org/x", GRANT, READ, workspace)
    assert found.startswith("'https://example.org/x' is denied: example.org stands for ")
    assert found.endswith(", which is only reached under its own name")
    assert touched("https://example.org/x", GRANT, READ, workspace) == ""


@pytest.mark.parametrize("address", ["10.1.2.3", "93.184.215.14", "2606:2800::1"])
def test_a_granted_name_that_stands_for_another_machine_is_reached(
    workspace: Path, addresses: dict[str, str], address: str
) -> None:
    addresses["example.org"] = address
    assert unreachable("https://example.org/x", GRANT, READ, workspace) == ""


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "app.localhost", "unknown.example"])
def test_what_says_that_it_is_this_machine_is_reached_where_it_is_granted(
    addresses: dict[str, str], host: str
) -> None:
    addresses |= {"localhost": "127.0.0.1", "app.localhost": "127.0.0.1"}
    assert off_limits(f"http://{host}:8080/", Grant(scope=(f"net:{host}:8080",))) is None


@pytest.mark.parametrize("path", ["src/out/b.txt", "src/out", "SRC/Out/b.txt/c"])
def test_what_is_forges_own_is_not_written(workspace: Path, path: str) -> None:
    grant = Grant(scope=("files:**",), writes=("files:**",))
    own = ("src/out/b.txt",)
    assert "forge's own files" in unreachable(path, grant, WRITE, workspace, own)
    assert unreachable(path, grant, READ, workspace, own) == ""
    assert unreachable("src/a.py", grant, WRITE, workspace, own) == ""


def test_all_that_lies_in_a_folder_is_looked_at(workspace: Path) -> None:
    (workspace / "src/out/deep/er").mkdir(parents=True)
    (workspace / "src/out/deep/er/c.txt").touch()
    assert unreachable("src/out", GRANT, READ, workspace) == ""
    (workspace / "src/out/deep/er/.hidden").touch()
    assert "it reaches 'src/out/deep/er/.hidden'" in unreachable("src/out", GRANT, READ, workspace)


def test_a_bracket_in_a_folders_name_is_a_bracket(workspace: Path) -> None:
    (workspace / "src/[a]").mkdir()
    assert unreachable("src/[a]", GRANT, READ, workspace) == ""
    narrow = Grant(scope=("files:src/a/**",))
    assert "is denied: it reaches 'src/[a]/" in unreachable("src/[a]", narrow, READ, workspace)


def test_a_folder_whose_path_is_longer_than_any_scope_is_denied(workspace: Path) -> None:
    path = "/".join(["src", *["n" * 254] * 4, "last"])
    (workspace / path).mkdir(parents=True)
    assert "is denied: its scope is" in unreachable(path, GRANT, READ, workspace)


def test_a_folder_that_goes_while_it_is_looked_at_reaches_nothing(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (workspace / "src/out/deep").mkdir()

    def looked_at(allowed: tuple[str, ...], path: str) -> bool:
        (workspace / "src/out/deep").rmdir()
        return matches(allowed, path)

    monkeypatch.setattr(reach, "matches", looked_at)
    assert unreachable("src/out", GRANT, READ, workspace) == ""


def test_a_folder_that_lets_nobody_look_is_denied(
    workspace: Path, powerless: Callable[[Callable[[], str]], str]
) -> None:
    (workspace / "src/out/deep").mkdir(mode=0)
    told = powerless(lambda: unreachable("src/out", GRANT, READ, workspace))
    assert told == "'src/out' is denied: Permission denied"


@pytest.mark.parametrize(
    ("value", "actions", "reached"),
    [
        ("docs/a.md", READ, "files:docs/a.md"),
        (["src/a.py", "docs/a.md"], READ, "files:docs/a.md"),
        ("docs", READ, "files:docs/x"),
        ("src/a.py", WRITE, "files:src/a.py"),
        ("https://a.org/x", NETWORK, "net:a.org:443"),
        ("a.org:80", NETWORK, "net:a.org:80"),
        ("../x", READ, ""),
        ("src/link.py", READ, ""),
        ("https://", NETWORK, ""),
        (7, READ, ""),
        ("src/a.py", READ, ""),
    ],
)
def test_what_is_touched_by_what_is_unreachable(
    workspace: Path, value: Json, actions: frozenset[str], reached: str
) -> None:
    assert touched(value, GRANT, actions, workspace) == reached


def test_forges_own_files_are_touched_though_every_scope_holds_them(workspace: Path) -> None:
    grant = Grant(scope=("files:**",), writes=("files:**",))
    assert touched("src/a.py", grant, WRITE, workspace, {"src/a.py"}) == "files:src/a.py"
