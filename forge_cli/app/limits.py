"""Limits of a run from flags and the environment: they only lower what the manifest states."""

from collections.abc import Mapping
from dataclasses import replace

from forge_cli.errors import ForgeError
from forge_cli.multiagent.plan import Plan

CONCURRENCY = "FORGE_MAX_CONCURRENCY"


def lowered(
    plan: Plan, stated: int | None, jobs: int | None, environment: Mapping[str, str]
) -> Plan:
    """The plan with the concurrency that `--jobs`, else the environment, asks for.

    `stated` is what the manifest says, None where it says nothing: then the limit is theirs to
    set. `ForgeError` for one that would be raised, naming both.
    """
    name, wanted = ("--jobs", jobs) if jobs is not None else (CONCURRENCY, _number(environment))
    if wanted is None:
        return plan
    if wanted < 1:
        raise ForgeError(f"{name} is {wanted}, at least 1 turn must be able to run")
    if stated is not None and wanted > stated:
        raise ForgeError(
            f"{name} is {wanted}, the manifest's max_concurrency is {stated}; "
            "only a lower one can be given here, a higher one belongs into the manifest"
        )
    return replace(plan, max_concurrency=wanted)


def _number(environment: Mapping[str, str]) -> int | None:
    text = environment.get(CONCURRENCY, "")
    if not text:
        return None
    if not text.isascii() or not text.isdecimal():
        raise ForgeError(f"{CONCURRENCY} is '{text}', which is not a whole number of turns")
    return int(text)
