"""Finds `${...}` that forge does not fill, or not in this place.

Only what the manifest knows is filled: inputs, outputs and statuses of items, state, and a few
values of the turn. Other tools' forms (`${HOME}`, `${{ }}`) would go through as they are and mean
something else, or nothing. An agent's instructions, and where its model is, cannot come from what
an item puts out: that is data.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make, "${HOME}"]
#                ^^^^^^^
    capabilities: []
```

Good:
```yaml
forge: 1
env: [HOME]
work_items:
  build:
    run: [make, "${env.HOME}"]
    capabilities: []
```
"""

import re
from collections.abc import Iterable, Iterator

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.nodes import Agent, Node
from forge_cli.manifest.meaning.references import Mention, Misread
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.subject import Subject

RULE = "unknown-interpolation"
_FORMS = (
    "known: ${inputs.NAME}, ${items.ID.outputs.KEY}, ${items.ID.status}, ${state.KEY}, ${env.NAME},"
    " ${each},\n${scope}, ${budget}, ${goal}, ${completion}, ${run}, ${attempt};"
    " $${ is a literal ${"
)
_VARIABLE = r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}"
_GITHUB = r"\$\{\{\s*([a-z]+)\.([A-Za-z0-9_.-]+?)\s*(?:\}|$)"
_OUTPUTS = r"\$\{items\.([a-z][a-z0-9_.-]*?)(?:\.outputs)?\}"
_FOR_SCRIPTS = (
    r"(?<!\\)\$\{(?:\{\s*[a-z]+\.[^{}\n]*\}\}|(?:inputs|items|state|env|secrets|each|run|attempt|scope"
    r"|budget|goal|completion)\.[^{}\n]*\})"
)
_NAMED = r"\$\{\{?\s*((?:[a-z]+)(?:\.[A-Za-z0-9_-]+)*)"
_OF_AN_ITEM = frozenset({"goal", "scope", "budget", "completion", "attempt"})
_OPENING = r"\$\{\{[^}]*\}\}|\$\{[^}]*\}?"


def check(subject: Subject) -> Iterator[Finding]:
    """Every text that cannot be read, and every `${each}` where there is no element."""
    topology = subject.topology
    for misread in topology.mentions.misread:
        yield _unreadable(misread, topology)
    for mention in topology.mentions.all():
        if mention.text == "${each}" and not _has_element(topology.nodes.get(mention.owner)):
            yield _no_element(mention.path, mention.text)
        elif mention.root == "goal" and mention.path[-1] == "goal":
            yield _elsewhere(mention, "a goal cannot hold itself", "write what for, in words")
    for mention in topology.mentions.outputs:
        if mention.root in _OF_AN_ITEM:
            why = "it stands for something of an item, and the run's outputs belong to none"
            yield _elsewhere(mention, why, "write  ${items.ID.outputs.KEY}")
    for node in topology.holding("script"):
        yield from _script(node)
    yield from _scopes(topology)
    for role in topology.roles.values():
        if role.written.get("handler", {}).get("kind") == "agent":
            yield from _agent(role, topology.mentions.roles.get(role.role_id, ()))


def _agent(role: Agent, mentions: Iterable[Mention]) -> Iterator[Finding]:
    """What an agent puts out is data: nobody is told by it what to do, or whom to ask."""
    for mention in mentions:
        if mention.root in ("items", "state", "each"):
            why = "instructions are no place for data"
            yield _elsewhere(mention, why, f'write  with: {{data: "{mention.text}"}}  in the item')
    for key in ("model", "base_url", "instructions_file"):
        for found in re.findall(_OPENING, role.written["handler"].get(key, "")):
            yield Finding(
                RULE,
                Spot((*role.path, "handler", key), token=found),
                f"'{found}' is not filled in '{key}' of an agent",
                "write it out",
            )


def _elsewhere(mention: Mention, why: str, hint: str) -> Finding:
    what = f"'{mention.text}' cannot stand here: {why}"
    return Finding(RULE, Spot(mention.path, token=mention.text), what, hint)


def _script(node: Node) -> Iterator[Finding]:
    """A script is Bash and nothing else, to which these are faults of its own at run time."""
    for token in dict.fromkeys(re.findall(_FOR_SCRIPTS, node.own["script"])):
        yield Finding(
            RULE,
            Spot((*node.path, "script"), token=token),
            f"'{token}' is not filled in a script",
            _for_script(token),
        )


def _for_script(token: str) -> str:
    """What to type so that a script gets the value: the names that `with` and `secrets` give."""
    found = re.match(_NAMED, token)
    root, *rest = found[1].split(".") if found else ("inputs", "NAME")
    if root == "secrets":
        return f"write  secrets: [{'.'.join(rest)}]  and read  ${'.'.join(rest)}"
    root = {"needs": "items", "steps": "items"}.get(root, root)
    whole = root in ("inputs", "items", "state", "env")
    reference = ".".join([root, *rest]) if whole else root
    name = re.sub(r"\W", "_", rest[-1] if whole and rest else root)
    return f'write  with: {{{name.lower()}: "${{{reference}}}"}}  and read  $INPUT_{name.upper()}'


def _unreadable(misread: Misread, topology: Topology) -> Finding:
    token = misread.token
    shown = token if len(token) <= 40 else f"{token[:37]}..."
    return Finding(
        RULE,
        Spot(misread.path, token=token),
        f"'{shown}' is not something that forge fills",
        _mend(token, topology),
    )


def _mend(token: str, topology: Topology) -> str:
    github = re.match(_GITHUB, token)
    if github:
        root = {"needs": "items", "steps": "items"}.get(github[1], github[1])
        if root in ("inputs", "env", "items", "state"):
            return f"write  ${{{root}.{github[2]}}}"
        return _FORMS
    outputs = re.fullmatch(_OUTPUTS, token)
    if outputs:
        item, _, key = outputs[1].rpartition(".")
        node = topology.nodes.get(item)
        if node is not None and outputs[1] not in topology.nodes:
            return f"write  ${{items.{item}.outputs.{key}}}"
        node = topology.nodes.get(outputs[1])
        keys = [f"${{items.{outputs[1]}.outputs.{key}}}" for key in (node.outputs if node else ())]
        return f"write  {' or '.join(keys or ['${items.ID.outputs.KEY}'])}"
    variable = re.fullmatch(_VARIABLE, token)
    if variable is None:
        return _FORMS if token.endswith("}") else f"close it with '}}', or write  ${token}"
    name = variable[1]
    for root in ("inputs", "state", "secrets"):
        if name in topology.data.get(root, ()):
            if root == "secrets":
                return f"secrets are never filled in: write  secrets: [{name}]  in the item"
            return f"write  ${{{root}.{name}}}"
    if name.isupper():
        return f"write  ${{env.{name}}}  and  env: [{name}]  at the top, or  $${{{name}}}  as it is"
    return _FORMS


def _has_element(node: Node | None) -> bool:
    return node is not None and "for_each" in node.own


def _no_element(path: Path, token: str) -> Finding:
    return Finding(
        RULE,
        Spot(path, note="no for_each here", token=token),
        f"'{token}' stands for an element, and there is no 'for_each' here",
        "write  for_each: [...]  in the item, or leave it out",
    )


def _scopes(topology: Topology) -> Iterator[Finding]:
    """In a scope only `${each}` is filled, and only where the elements are known before the run."""
    top = ((("scope", index), text, None) for index, text in enumerate(topology.scope))
    for path, text, for_each in (*top, *_written(topology)):
        for found in re.findall(_OPENING, text):
            if found != "${each}":
                yield Finding(
                    RULE,
                    Spot(path, token=found),
                    f"'{found}' is not filled in a scope: only '${{each}}' is",
                    "write the scope out",
                )
            elif for_each is None:
                yield _no_element(path, found)
            elif isinstance(for_each, str) and "${inputs." not in for_each:
                yield Finding(
                    RULE,
                    Spot(path, note="known only while it runs", token=found),
                    "a scope cannot come from what an item puts out",
                    "let  for_each  be a list or an input, or write the scope out",
                )


def _written(topology: Topology) -> Iterator[tuple[Path, str, object]]:
    for role in topology.roles.values():
        for index, text in enumerate(role.written.get("scope", ())):
            yield (*role.path, "scope", index), text, None
    for key in ("scope", "writes"):
        for path, written in topology.terms(key):
            for index, text in enumerate(written[key]):
                if "${" in text:
                    yield (*path, index), text, written.get("for_each")
