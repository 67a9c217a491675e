"""Which defaults hold in a plan: what its manifest leaves to the language to say."""

from collections.abc import Iterator
from dataclasses import dataclass

from forge_cli.manifest.compilation.compile import MAX_CONCURRENCY
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.multiagent.plan import Json, Plan


@dataclass(frozen=True, slots=True)
class Default:
    """A key that is not written, and what holds instead for these items or roles.

    Without any of them it holds for the run. Times are in milliseconds, a budget has its limits.
    """

    key: str
    value: Json
    holders: tuple[str, ...] = ()


def defaults(plan: Plan, topology: Topology) -> tuple[Default, ...]:
    """The run's, then those of items and of roles' programs, in the order of their keys.

    What an item takes over from its role or from the run is no default: the grant has it.
    """
    found: dict[tuple[str, str], tuple[Json, list[str]]] = {}
    for holder, key, value in (*_of_items(plan, topology), *_of_programs(plan, topology)):
        found.setdefault((key, str(value)), (value, []))[1].append(holder)
    shared = [Default(key, value, tuple(names)) for (key, _), (value, names) in found.items()]
    keys = list(dict.fromkeys(default.key for default in shared))
    shared.sort(key=lambda default: keys.index(default.key))
    return (*_of_run(plan, topology), *shared)


def _of_run(plan: Plan, topology: Topology) -> Iterator[Default]:
    data, settings = topology.data, section(topology.data, "settings")
    top: dict[str, Json] = {
        "version": plan.version,
        "scope": list(topology.scope),
        "budget": plan.budget.limits(),
        "deadline": plan.deadline.within,
    }
    yield from (Default(key, value) for key, value in top.items() if key not in data)
    if "max_concurrency" not in settings and plan.max_concurrency == MAX_CONCURRENCY:
        yield Default("max_concurrency", MAX_CONCURRENCY)
    if "evidence" not in settings:
        yield Default("evidence", plan.evidence)


def _of_items(plan: Plan, topology: Topology) -> Iterator[tuple[str, str, Json]]:
    for node in topology.nodes.values():
        item = plan.items[node.item_id]
        if "required" not in node.own:
            yield node.item_id, "required", item.required
        if node.children:
            continue
        values: dict[str, Json] = {
            "timeout": item.timeout,
            "risk": item.risk,
            "on_crash": item.on_crash,
        }
        if item.for_each is not None:
            values["max_parallel"] = item.max_parallel or plan.max_concurrency
        for key, value in values.items():
            if key not in node.written:
                yield node.item_id, key, value
        if "on_failure" not in node.terms():
            yield node.item_id, "on_failure", item.then


def _of_programs(plan: Plan, topology: Topology) -> Iterator[tuple[str, str, Json]]:
    for role in topology.takes_part.values():
        handler = plan.roles[role.role_id].handler
        written = role.written.get("handler", {})
        for key in ("stdin", "result", "grace", "max_output"):
            if handler.kind == "command" and key not in written:
                yield role.role_id, key, handler.config[key]
    for node in topology.nodes.values():
        if node.way == "inline":
            config = plan.roles[f"inline:{node.item_id}"].handler.config
            yield node.item_id, "grace", config["grace"]
            yield node.item_id, "max_output", config["max_output"]
