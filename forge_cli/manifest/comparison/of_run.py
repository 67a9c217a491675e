"""The run's own part of a manifest, and what items share: inputs, state, schemas, words."""

from collections.abc import Iterator

from forge_cli.manifest.comparison.acceptance import Completion
from forge_cli.manifest.comparison.limits import Allowance, Limit, Reach
from forge_cli.manifest.comparison.parts import Fact, Part
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning.assembly import section

RUN = ("manifest", "")

SETTINGS = {
    "max_joint_agents": 8,
    "broadcast_buffer_size": 256,
    "dynamic_decomposition": False,
}
"""Settings that the plan does not hold yet, as they are where a manifest does not say them."""


def run_parts(side: Side) -> Iterator[Part]:
    """The manifest itself, then each named thing of it that is neither role, contract nor item."""
    yield _run(side)
    yield from _inputs(side)
    yield from _state(side)
    yield from _schemas(side)
    yield from _words(side)
    for name, package in side.plan.context_packages.items():
        path: Path = ("context_packages", name)
        yield Part(("context package", name), path, {"content": Fact(package, path)})


def _run(side: Side) -> Part:
    plan, data, run = side.plan, side.data, side.plan.contracts["run"]
    settings = section(data, "settings")
    facts = {
        "name": Fact(plan.name, ("name",), derived="name" not in data),
        "scope": Fact(Reach(side.topology.scope), ("scope",)),
        "budget": Fact(Allowance(plan.budget, plan.budget), ("budget",)),
        "deadline": Fact(Limit(plan.deadline, plan.deadline), ("deadline",)),
        "depth": Fact(run.depth, ("settings", "hierarchical_max_depth")),
        "concurrency": Fact(plan.max_concurrency, ("settings", "max_concurrency")),
        "join": Fact(
            _minimum(side), ("join", "minimum_successes"), derived=plan.minimum_successes is None
        ),
        "kept evidence": Fact(plan.evidence, ("settings", "evidence")),
        "declared env": Fact(frozenset(plan.env), ("env",)),
        "declared secrets": Fact(frozenset(plan.secrets), ("secrets",)),
        "labels": Fact(plan.labels, ("labels",)),
        "outputs": Fact(frozenset(plan.outputs), ("outputs",)),
        "values": Fact(plan.outputs, ("outputs",)),
    }
    facts |= {
        key.replace("_", " "): Fact(settings.get(key, default), ("settings", key))
        for key, default in SETTINGS.items()
    }
    return Part(RUN, (), facts)


def _minimum(side: Side) -> int:
    """How many roles must succeed: without a word on it, those of the required items."""
    written = side.plan.minimum_successes
    if written is not None:
        return written
    items = side.plan.items.values()
    return len({item.role_id for item in items if item.required and not item.children})


def _inputs(side: Side) -> Iterator[Part]:
    for name, spec in side.plan.inputs.items():
        path: Path = ("inputs", name)
        facts = {
            "presence": Fact(spec.required, path),
            "type": Fact(spec.type, (*path, "type")),
        }
        if not spec.required:
            facts["default"] = Fact(spec.default, (*path, "default"))
        yield Part(("input", name), path, facts, needed=spec.required)


def _state(side: Side) -> Iterator[Part]:
    for name, key in side.plan.state.items():
        path: Path = ("state", name)
        if name not in section(side.data, "state"):
            path = side.topology.state_writers[name][0].place("return_channel")
        facts = {
            "owner": Fact(key.owner, (*path, "owner")),
            "merge": Fact(key.merge, (*path, "merge")),
        }
        yield Part(("state key", name), path, facts)


def _schemas(side: Side) -> Iterator[Part]:
    """Listed schemas by their ids; of one that is there in several versions, each by itself."""
    listed = section(side.data, "schemas")
    ids = [key.partition("@")[0] for key in listed]
    for key, schema_id in zip(listed, ids, strict=True):
        path: Path = ("schemas", key)
        name = schema_id if ids.count(schema_id) == 1 else key
        fact = Fact(Completion(key, side.plan.schemas[key]), path)
        yield Part(("schema", name), path, {"completion": fact})


def _words(side: Side) -> Iterator[Part]:
    for word, actions in section(side.data, "capabilities").items():
        path: Path = ("capabilities", word)
        yield Part(("capability", word), path, {"actions": Fact(frozenset(actions), path)})
