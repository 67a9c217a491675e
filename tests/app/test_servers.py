"""What MCP servers need here."""

from typing import Any

import pytest

from forge_cli.app import servers
from forge_cli.app.servers import lacking
from forge_cli.multiagent.plan import Handler, Plan, Role


def plan(kind: str) -> Plan:
    """A plan with one handler of that kind."""
    served = {"server": {"argv": ["logs-mcp"]}, "tools": []}
    configs: dict[str, dict[str, Any]] = {"mcp": served, "agent": {"servers": {"logs": served}}}
    role = Role("reader", 1, frozenset(), (), (), Handler(kind, configs.get(kind, {})))
    return Plan("p", "0.0.0", {}, {"reader": role}, {})


def test_nothing_is_missing_where_the_library_is_installed() -> None:
    assert lacking(plan("mcp")) == []


@pytest.mark.parametrize("kind", ["mcp", "agent"])
def test_a_missing_library_is_told_with_what_installs_it(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "PACKAGE", "no_such_package")
    (sentence,) = lacking(plan(kind))
    assert sentence.endswith("not installed here; type: pip install 'no_such_package>=2.3'")


def test_plans_without_servers_do_not_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "PACKAGE", "no_such_package")
    assert lacking(plan("command")) == []
