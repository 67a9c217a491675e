"""Every `${...}` and every condition of a manifest: what each reads, found once with its place."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from forge_cli.manifest.findings import Path
from forge_cli.manifest.meaning import expressions
from forge_cli.manifest.meaning.nodes import Agent, Node, Written
from forge_cli.multiagent.templates import Reference, TemplateError, parse_template

ITEM_TEXTS = ("goal", "with", "run", "for_each", "env", "compensate")
"""The keys of an item in which `${...}` is filled; `scope` and `writes` take only `${each}`."""
ROLE_TEXTS = ("argv", "env", "instructions")
"""The same for a role's handler."""


class Mention(NamedTuple):
    """One thing that is read: an input, an output or status, a state key, ...

    `owner` is the item or role whose text it is in, empty for the run's own outputs. For an item
    `key` is the output that is read and `field` is `status` where that is.
    """

    path: Path
    owner: str
    text: str
    root: str
    name: str = ""
    key: str = ""
    field: str = ""


class Misread(NamedTuple):
    """A `${...}` that is not a reference; `token` is the part of the text at fault."""

    path: Path
    message: str
    token: str


class Mentions(NamedTuple):
    """All mentions by the item or role that makes them, the run's own, and what cannot be read."""

    items: Mapping[str, tuple[Mention, ...]]
    roles: Mapping[str, tuple[Mention, ...]]
    outputs: tuple[Mention, ...]
    misread: tuple[Misread, ...]

    def all(self) -> Iterator[Mention]:
        """Every mention."""
        for mentions in (*self.roles.values(), *self.items.values(), self.outputs):
            yield from mentions


class Parts(Protocol):
    """What the mentions are looked for in."""

    @property
    def data(self) -> Written: ...
    @property
    def roles(self) -> Mapping[str, Agent]: ...
    @property
    def nodes(self) -> Mapping[str, Node]: ...


def mentions(parts: Parts) -> Mentions:
    """Read every text of the manifest that is filled or evaluated."""
    reader = _Reader()
    roles: dict[str, tuple[Mention, ...]] = {}
    for role in parts.roles.values():
        handler = role.written.get("handler", {})
        path = (*role.path, "handler")
        found = reader.fields(path, role.role_id, handler, ROLE_TEXTS)
        if settings := handler.get("settings"):  # a plug-in's, which are written beside `kind`
            found += reader.fields(path, role.role_id, settings, settings)
        if found:
            roles[role.role_id] = tuple(found)
    items: dict[str, tuple[Mention, ...]] = {}
    for node in parts.nodes.values():
        found = reader.fields(node.path, node.item_id, node.own, ITEM_TEXTS)
        if "when" in node.own:
            found += _conditions((*node.path, "when"), node.item_id, node.own["when"])
        if found:
            items[node.item_id] = tuple(found)
    outputs = tuple(reader.texts(("outputs",), "", parts.data.get("outputs", {})))
    return Mentions(items, roles, outputs, tuple(reader.misread))


class _Reader:
    def __init__(self) -> None:
        self.misread: list[Misread] = []

    def fields(
        self, path: Path, owner: str, written: Written, keys: Iterable[str]
    ) -> list[Mention]:
        found: list[Mention] = []
        for key in keys:
            value = written.get(key)
            # Plain texts without a reference are the bulk, and pay for nothing more.
            if value is None or (isinstance(value, str) and "${" not in value):
                continue
            found += self.texts((*path, key), owner, value)
        return found

    def texts(self, path: Path, owner: str, value: Any) -> Iterator[Mention]:
        if isinstance(value, str):
            if "${" in value:
                yield from self._read(path, owner, value)
        elif isinstance(value, dict):
            for key, element in value.items():
                yield from self.texts((*path, key), owner, element)
        elif isinstance(value, list):
            for index, element in enumerate(value):
                if not isinstance(element, str) or "${" in element:
                    yield from self.texts((*path, index), owner, element)

    def _read(self, path: Path, owner: str, text: str) -> Iterator[Mention]:
        try:
            parts = parse_template(text)
        except TemplateError as error:
            self.misread.append(Misread(path, str(error), error.token))
            return
        for part in parts:
            if isinstance(part, Reference):
                yield Mention(path, owner, part.text, part.root, part.name, part.key, part.field)


def _conditions(path: Path, owner: str, text: str) -> Iterator[Mention]:
    for steps in expressions.read(text).paths:
        root, *rest = steps or ("@",)
        shown = ".".join(steps) or "@"
        name = rest[0] if rest else ""
        inner = rest[1] if root == "items" and len(rest) > 1 else ""
        key = rest[2] if inner == "outputs" and len(rest) > 2 else ""
        yield Mention(path, owner, shown, root, name, key, inner if not key else "")
