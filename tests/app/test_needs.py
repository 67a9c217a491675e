"""What a plan needs on this machine."""

from pathlib import Path

from forge_cli.app.needs import Need, needs
from forge_cli.multiagent.plan import Handler, Plan, Role


def plan(*argvs: list[str], secrets: tuple[str, ...] = ()) -> Plan:
    """A plan with one command handler for each argument list."""
    handlers = [Handler("command", {"argv": argv}) for argv in argvs]
    roles = {
        f"r{number}": Role(f"r{number}", 1, frozenset(), (), (), handler)
        for number, handler in enumerate(handlers)
    }
    return Plan("p", "0.0.0", {}, roles, {}, secrets=secrets)


def program(folder: Path, name: str) -> None:
    """An executable file."""
    (folder / name).write_text("#!/bin/sh\n")
    (folder / name).chmod(0o755)


def test_secrets_are_set_empty_or_not_set() -> None:
    found = needs(plan(secrets=("A", "B", "C")), Path(), {"A": "value", "B": "", "PATH": ""})
    assert found[:3] == [
        Need("A", "set", True),
        Need("B", "empty", False),
        Need("C", "not set", False),
    ]


def test_programs_are_found_on_the_path_once_each(tmp_path: Path) -> None:
    program(tmp_path, "ruff")
    used = plan(["ruff", "check"], ["ruff", "format"], ["no-such-program"])
    assert needs(used, Path(), {"PATH": str(tmp_path)})[:-1] == [
        Need("no-such-program", "missing", False),
        Need("ruff", "found", True),
    ]


def test_a_program_with_a_path_is_looked_for_in_the_workspace(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program(tmp_path / "bin", "check")
    found = needs(plan(["bin/check"]), tmp_path, {"PATH": ""})
    assert found[0] == Need("bin/check", "found", True)


def test_a_file_that_is_not_executable_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "check").write_text("#!/bin/sh\n")
    found = needs(plan(["./check"]), tmp_path, {"PATH": ""})
    assert found[0] == Need("./check", "not executable", False)


def test_a_program_that_an_input_names_is_not_listed() -> None:
    assert [need.name for need in needs(plan(["${inputs.tool}"]), Path(), {"PATH": ""})] == ["git"]


def test_a_missing_git_is_no_obstacle() -> None:
    assert needs(plan(), Path(), {"PATH": ""}) == [Need("git", "not found, not needed", True)]


def test_the_program_of_a_server_is_needed(tmp_path: Path) -> None:
    program(tmp_path, "logs-mcp")
    handler = Handler("mcp", {"server": {"argv": ["logs-mcp"]}})
    listening = Handler("mcp", {"server": {"url": "https://mcp.example.org/logs"}})
    roles = {
        name: Role(name, 1, frozenset(), (), (), each)
        for name, each in (("a", handler), ("b", listening))
    }
    found = needs(Plan("p", "0.0.0", {}, roles, {}), Path(), {"PATH": str(tmp_path)})
    assert found[0] == Need("logs-mcp", "found", True)
    assert [need.name for need in found] == ["logs-mcp", "git"]
