"""`forge plugins`: the handler kinds that there are here, and what is broken about one that is."""

from dataclasses import dataclass

import forge_cli
from forge_cli.handlers import KINDS
from forge_cli.handlers.examination import examine
from forge_cli.handlers.installed import installed
from forge_cli.manifest.shape.language import handler_kinds
from forge_cli.multiagent.plan import Json

FORGE = "forge-cli"


@dataclass(frozen=True, slots=True)
class Kind:
    """One handler kind: who offers it, and why it cannot be used (nothing: it can).

    `target` is the plug-in's `module:Class`, empty for forge's own kinds; `settings` is the JSON
    Schema that a plug-in declares.
    """

    kind: str
    distribution: str
    version: str
    target: str = ""
    problem: str = ""
    settings: Json = None


def kinds() -> list[Kind]:
    """Forge's own kinds that run, then those of plug-ins, each of which is imported elsewhere."""
    own = [Kind(kind, FORGE, forge_cli.__version__) for kind in sorted(KINDS)]
    found = []
    for each in installed(handler_kinds()):
        examined = examine(each)
        origin = (each.kind, each.distribution, each.version, each.target)
        found.append(Kind(*origin, examined.problem, examined.schema))
    return [*own, *found]
