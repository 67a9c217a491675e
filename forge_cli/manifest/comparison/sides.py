"""One of the two manifests that are compared: what it means, and what it comes to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from forge_cli.manifest.comparison.acceptance import Completion
from forge_cli.manifest.comparison.programs import Program
from forge_cli.manifest.compilation.handlers import Handlers
from forge_cli.manifest.compilation.items import schema_key
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.multiagent.plan import Plan


@dataclass(frozen=True, slots=True)
class Side:
    """A manifest without errors; `handlers` looks up the files that its programs name."""

    plan: Plan
    topology: Topology
    handlers: Handlers

    @property
    def data(self) -> Mapping[str, Any]:
        """The manifest as it is written."""
        return self.topology.data

    def completion(self, written: str | None) -> Completion:
        """The schema that a `completion` names."""
        key = schema_key(self.topology, written)
        return Completion() if key is None else Completion(key, self.plan.schemas[key])

    def program(self, role_id: str) -> Program:
        """The handler of a role, or of what stands for one in an item."""
        handler = self.plan.roles[role_id].handler
        return Program(handler, self.handlers.named(handler.kind, handler.config))
