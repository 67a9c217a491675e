"""A manifest to the plan of its run: everything resolved, narrowed and fixed by digests."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from forge_cli.canonical import digest, digest_of_bytes
from forge_cli.manifest.compilation.contracts import contracts
from forge_cli.manifest.compilation.handlers import Handlers
from forge_cli.manifest.compilation.items import compile_item
from forge_cli.manifest.compilation.unsupported import unsupported
from forge_cli.manifest.meaning.actions import Vocabulary
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.library import Library
from forge_cli.manifest.meaning.limits import budget, run_budget, run_deadline
from forge_cli.manifest.meaning.nodes import Agent, Node, Written
from forge_cli.manifest.meaning.schemas import Readable
from forge_cli.manifest.meaning.scopes import EACH
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.multiagent.plan import Input, Item, Json, Plan, Role, StateKey
from forge_cli.multiagent.plan_document import plan_document

__all__ = ["compile", "name_of", "unsupported"]

Words = dict[str, Json]

MAX_CONCURRENCY = 4
"""Turns at a time where the manifest does not say it."""

BROADCAST_BUFFER = 256
"""Messages that wait for a reader at most, where the manifest does not say it."""


def compile(  # noqa: A001 - the word for it
    topology: Topology,
    path: str,
    files: Readable,
    workspace: Readable | None = None,
    included: Mapping[str, bytes] | None = None,
    under_way: Plan | None = None,
) -> Plan:
    """The plan of a manifest without errors; `path` is its file, `files` what lies beside it.

    `workspace` is what lies where programs run, so that the digests of handlers cover those, too.
    `included` are the files that it includes, by their paths from its folder. `under_way` is the
    plan that this one is to be the same as, of a run whose items may have written what it names.
    """
    data = topology.data
    handlers = Handlers(files, workspace, under_way)
    roles = {r.role_id: _role(topology, r, handlers) for r in topology.takes_part.values()}
    inline = (node for node in topology.nodes.values() if node.way == "inline")
    roles |= {f"inline:{node.item_id}": _inline(node, handlers) for node in inline}
    items = {n.item_id: compile_item(topology, n, handlers) for n in topology.nodes.values()}
    schemas, schema_files = _schemas(topology, files)
    settings = section(data, "settings")
    plan = Plan(
        name=data.get("name", name_of(path)),
        version=data.get("version", "0.0.0"),
        items=items,
        roles=roles,
        contracts=contracts(topology),
        budget=run_budget(data),
        deadline=run_deadline(data),
        broadcast_buffer=settings.get("broadcast_buffer_size", BROADCAST_BUFFER),
        max_concurrency=settings.get("max_concurrency", MAX_CONCURRENCY),
        minimum_successes=section(data, "join").get("minimum_successes"),
        inputs={name: _input(spec) for name, spec in section(data, "inputs").items()},
        env=tuple(data.get("env", ())),
        secrets=tuple(data.get("secrets", ())),
        state=_state(topology),
        schemas=schemas,
        context_packages=section(data, "context_packages"),
        outputs=section(data, "outputs"),
        evidence=settings.get("evidence", "full"),
        labels=section(data, "labels"),
        manifest=path.rpartition("/")[2],
        files=dict(sorted({**handlers.files, **schema_files}.items())),
        programs=handlers.programs,
        vocabulary=_vocabulary(roles, items.values(), topology.vocabulary),
        included={name: digest_of_bytes(data) for name, data in sorted((included or {}).items())},
    )
    return replace(plan, digest=digest(plan_document(plan)))


def name_of(path: str) -> str:
    """The name of a manifest that has none: its file's stem, as an id."""
    stem = re.sub(r"(\.forge)?\.ya?ml$", "", path.rpartition("/")[2].lower())
    name = re.sub(r"[^a-z0-9_-]+", "-", stem).strip("-_")[:64]
    return name if name[:1].isalpha() else f"manifest-{name}"[:64].rstrip("-")


def _role(topology: Topology, role: Agent, handlers: Handlers) -> Role:
    return Role(
        role.role_id,
        role.version,
        role.capabilities,
        role.outputs,
        role.scope,
        handlers.of_role(role, topology.vocabulary),
        budget(role.written.get("budget")),
        tuple(agent.role_id for agent in map(topology.agent, role.delegates_to) if agent),
    )


def _inline(node: Node, handlers: Handlers) -> Role:
    """The role that stands for an item's own program: its grant is all that it has.

    With `${each}` in the scope each element has another one: what holds them all is the run's.
    """
    holder = node.agent.scope if node.agent is not None else node.scope
    return Role(
        f"inline:{node.item_id}",
        1,
        node.capabilities,
        node.outputs,
        holder if any(EACH in text for text in node.scope) else node.scope,
        handlers.of_item(node),
    )


def _input(spec: Written) -> Input:
    return Input("default" not in spec, spec.get("default"), spec.get("type", "any"))


def _vocabulary(roles: Mapping[str, Role], items: Iterable[Item], words: Vocabulary) -> Words:
    """What the words allow that can be granted at run time: to delegates, and to steps."""
    granted = {name for role in roles.values() for name in role.delegates}
    granted |= {item.role_id for item in items if item.max_steps}
    known = {word for name in granted for word in roles[name].capabilities}
    return {word: sorted(words.words.get(word, ())) for word in sorted(known)}


def _state(topology: Topology) -> dict[str, StateKey]:
    """The declared keys, and those that only their single writer makes known."""
    found: dict[str, StateKey] = {}
    for key, written in section(topology.data, "state").items():
        owner = topology.owner(written.get("owner")) or written.get("owner", "")
        found[key] = StateKey(owner, written.get("merge", "reject"))
    for key, writers in topology.state_writers.items():
        role = writers[0].agent
        if key not in found and role is not None:
            found[key] = StateKey(role.role_id)
    return found


def _schemas(topology: Topology, files: Readable) -> tuple[dict[str, Json], dict[str, str]]:
    """The schemas by their keys, self-contained, and the digests of the files they are made of."""
    library = Library(topology, files)
    schemas: dict[str, Json] = {}
    digests: dict[str, str] = {}
    for name in library.named():
        bundle = library.bundle(name)
        schemas[name.key] = bundle.schema
        for file in bundle.files:
            data = files.read(file)
            if data is not None:
                digests[file] = digest_of_bytes(data)
    return schemas, digests
