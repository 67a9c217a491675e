"""Handlers of plug-ins: forge judges the keys that all handlers share, the plug-in its settings."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from forge_cli.handlers.examination import Fault, examine
from forge_cli.handlers.installed import PlugIn, installed
from forge_cli.handlers.settings import parted
from forge_cli.manifest.findings import Path
from forge_cli.manifest.shape.faults import StructureError
from forge_cli.manifest.shape.language import handler_kinds

STAND_IN = "codex"
"""A kind that has every shared key: as a handler of it, what is left of a plug-in's is judged."""


class Plugged(NamedTuple):
    """The handler of one role: whose it is, and what it says to its plug-in."""

    plug_in: PlugIn
    settings: Mapping[str, Any]


def apart(
    data: Mapping[str, Any], foreign: Iterable[str]
) -> tuple[dict[str, Any], dict[str, Plugged]]:
    """The data with only the shared keys of plug-ins' handlers, and those handlers by their roles.

    `foreign` are the roles whose handler is of a kind that forge has not; one that nobody has
    stays where it is.
    """
    offers = {each.kind: each for each in reversed(installed(handler_kinds()))}
    plugged: dict[str, Plugged] = {}
    roles = dict(data["roles"])
    for name in foreign:
        handler = roles[name]["handler"]
        if plug_in := offers.get(handler["kind"]):
            shared, settings = parted(handler)
            plugged[name] = Plugged(plug_in, settings)
            roles[name] = {**roles[name], "handler": {"kind": STAND_IN, **shared}}
    return {**data, "roles": roles}, plugged


def joined(sound: dict[str, Any], plugged: Mapping[str, Plugged]) -> dict[str, Any]:
    """The sound data with plug-ins' handlers whole again, as the semantic rules get them.

    What is not forge's own is below `settings`, where no rule mistakes it for a key of another
    kind, and `plug_in` says whose it is.
    """
    roles = dict(sound.get("roles", {}))
    for name, each in plugged.items():
        if "handler" in roles.get(name, {}):
            origin = {"kind": each.plug_in.kind, "plug_in": each.plug_in.origin}
            handler = {**roles[name]["handler"], **origin, "settings": each.settings}
            roles[name] = {**roles[name], "handler": handler}
    return {**sound, "roles": roles}


def plug_in_faults(plugged: Mapping[str, Plugged]) -> Iterator[StructureError]:
    """What is wrong with each plug-in that the manifest uses, or with the settings it is given."""
    for plug_in in dict.fromkeys(each.plug_in for each in plugged.values()):
        roles = {name: each for name, each in plugged.items() if each.plug_in == plug_in}
        found = examine(plug_in, [each.settings for each in roles.values()])
        for number, name in enumerate(roles):
            path: Path = ("roles", name, "handler")
            if found.problem:
                yield _broken((*path, "kind"), plug_in, found.problem)
            else:
                yield from (_wrong(path, plug_in, fault) for fault in found.faults[number])


def _broken(path: Path, plug_in: PlugIn, problem: str) -> StructureError:
    return StructureError(
        "broken-plug-in", path, value=plug_in.kind, key=plug_in.origin, reason=problem
    )


def _wrong(path: Path, plug_in: PlugIn, fault: Fault) -> StructureError:
    return StructureError(
        "bad-setting",
        (*path, *fault.path),
        "key" if fault.is_key else "value",
        key=plug_in.origin,
        known=fault.known,
        reason=fault.message,
    )
