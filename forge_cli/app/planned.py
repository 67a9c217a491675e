"""A plan with all that explains it to a person."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from forge_cli.app.defaults import Default
from forge_cli.app.needs import Need
from forge_cli.app.sandbox import OFF
from forge_cli.multiagent.plan import Plan


@dataclass(frozen=True, slots=True)
class Why:
    """Why an item is done by its role, who else could, and what each of the others lacks."""

    reason: str
    others: tuple[str, ...] = ()
    lacking: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with its explanation: `inputs` as they would be, `refusals` of `forge run`.

    `approvals` are the items that await a decision before they run, `missing` the inputs that a
    run needs and was not given. `sandbox` is what would hold programs, `advice` how to get more.
    """

    plan: Plan
    warnings: int = 0
    why: Mapping[str, Why] = field(default_factory=dict)
    inputs: Mapping[str, str] = field(default_factory=dict)
    needs: tuple[Need, ...] = ()
    refusals: tuple[str, ...] = ()
    description: str = ""
    approvals: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    defaults: tuple[Default, ...] = ()
    sandbox: str = OFF
    advice: str = ""
