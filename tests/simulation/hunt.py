"""Plays the worlds of many seeds, and tells of the first that breaks a promise how to see it again.

`python tests/simulation/hunt.py [SEEDS] [FROM]`, from the repository's root: 2000 from 0 on.
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import fields
from multiprocessing import Pool

from forge_cli.multiagent.plan import Item
from tests.simulation.play import broken, shrunk
from tests.simulation.scenario import Scenario, scenario

SHARE = 50
"""Seeds that one process plays before it tells."""


def first_broken(seeds: range) -> int | None:
    """The first of these seeds whose world breaks a promise."""
    return next((seed for seed in seeds if broken(scenario(seed))), None)


def report(seed: int) -> str:
    """What the world of a seed breaks, how to play it again, and a small one that breaks it."""
    least, sentence = shrunk(seed)
    return "\n".join(
        (
            f"seed {seed} breaks {broken(scenario(seed))}",
            f"play it again:  make sim SEEDS=1 FROM={seed}",
            f"a small world that breaks the same, {sentence}",
            *(f"  {line}" for line in told(least)),
        )
    )


def told(played: Scenario) -> Iterator[str]:
    """The plan and the accidents of a scenario, without what they leave out."""
    plan, plain = played.plan, Item("")
    yield f"budget {plan.budget.limits()}, deadline {plan.deadline}, {plan.max_concurrency} at once"
    for item in plan.items.values():
        said = {f.name: getattr(item, f.name) for f in fields(Item)}
        words = (f"{k}={v!r}" for k, v in said.items() if v != getattr(plain, k))
        yield f"Item({', '.join(words)})"
    yield from map(repr, played.faults)
    if played.strays:
        yield "with strays"


def main(seeds: int = 2_000, first: int = 0) -> int:
    """Exit code 1 if a promise is broken."""
    shares = [range(n, min(n + SHARE, first + seeds)) for n in range(first, first + seeds, SHARE)]
    with Pool(os.cpu_count()) as pool:
        for found in pool.imap(first_broken, shares):
            if found is not None:
                print(report(found))
                return 1
    print(f"{seeds} seeds from {first} on: every promise holds")
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
