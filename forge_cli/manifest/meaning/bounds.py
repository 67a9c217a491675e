"""Where a manifest writes budgets and deadlines; what they say is read by `limits`."""

from collections.abc import Iterator

from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.nodes import Written
from forge_cli.manifest.meaning.topology import Topology


def deadlines(topology: Topology) -> Iterator[tuple[Path, str]]:
    """Every deadline that is written, with its place: the run's, the contracts', the items'."""
    if isinstance(topology.data.get("deadline"), str):
        yield ("deadline",), topology.data["deadline"]
    for path, written in topology.terms("deadline"):
        yield path, written["deadline"]


def budgets(topology: Topology) -> Iterator[tuple[Path, Written]]:
    """Every budget that is written, with its place: the run's, roles', contracts' and items'."""
    if "budget" in topology.data:
        yield ("budget",), topology.data["budget"]
    for role in topology.roles.values():
        if "budget" in role.written:
            yield (*role.path, "budget"), role.written["budget"]
        max_usage = role.written.get("handler", {}).get("max_usage")
        if max_usage is not None:
            yield (*role.path, "handler", "max_usage"), max_usage
    for path, written in topology.terms("budget"):
        yield path, written["budget"]
