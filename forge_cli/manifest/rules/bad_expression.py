"""Finds JMESPath expressions that cannot be compiled, or look for what is never there.

A misspelt root is null in JMESPath, so that a condition or a criterion would be switched off
without a word. A `when` looks at `inputs`, `items` and `state`; a criterion looks at the outputs.
Names with hyphens need double quotes, literals backticks.

Bad:
```yaml
forge: 1
work_items:
  count:
    run: [wc, -l, notes.txt]
    capabilities: [read]
  report:
    run: [echo, done]
    capabilities: []
    when: item.count.outputs.result
#         ^^^^
```

Good:
```yaml
forge: 1
work_items:
  count:
    run: [wc, -l, notes.txt]
    capabilities: [read]
  report:
    run: [echo, done]
    capabilities: []
    when: items.count.outputs.result
```
"""

import re
from collections.abc import Iterator, Sequence

from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.expressions import Reading, Steps, read
from forge_cli.manifest.meaning.lookups import unsaid
from forge_cli.manifest.meaning.nodes import Agent, Written
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.naming import describe
from forge_cli.manifest.subject import Subject
from forge_cli.manifest.suggest import suggest

RULE = "bad-expression"
ROOTS = ("inputs", "items", "state")


def check(subject: Subject) -> Iterator[Finding]:
    """Compile every expression and look at where it starts."""
    topology = subject.topology
    for node in topology.holding("when"):
        path, reading = (*node.path, "when"), read(node.own["when"])
        yield from _fault(path, reading)
        yield from _conditions(path, node.own["when"], reading.paths, topology)
    for contract in topology.contracts.values():
        known = contract.outputs if contract.delegate is not None else None
        yield from _criteria(contract.path, contract.written, known, contract.delegate)
    for node in topology.holding("criteria"):
        known = node.outputs if node.agent is not None else None
        yield from _criteria(node.path, node.own, known, node.agent)
    for path, text in _extracts(topology):
        yield from _fault(path, read(text))


def _fault(path: Path, reading: Reading) -> Iterator[Finding]:
    if reading.fault:
        spot = Spot(path, token=reading.token or None)
        yield Finding(RULE, spot, reading.fault, reading.hint)


def _conditions(
    path: Path, text: str, paths: Sequence[Steps], topology: Topology
) -> Iterator[Finding]:
    for steps in paths:
        if not steps or steps[0] not in ROOTS:
            yield _unknown_root(path, text, steps, topology)
        elif len(steps) == 1:
            yield Finding(
                RULE,
                Spot(path, token=steps[0]),
                f"'{steps[0]}' is looked at as a whole, so nothing says what has to be there",
                _negated(text, steps[0]) or f"name what you need: {_EXAMPLES[steps[0]]}",
            )
        elif steps[0] == "items" and len(steps) > 2 and steps[2] not in ("outputs", "status"):
            yield Finding(
                RULE,
                Spot(path, token=steps[2]),
                f"an item has 'outputs' and 'status', and no '{steps[2]}'",
                f"write  items.{_quoted(steps[1])}.outputs.{_quoted(steps[2])}",
            )


_EXAMPLES = {
    "inputs": "inputs.NAME",
    "items": "items.ID.outputs.KEY or items.ID.status",
    "state": "state.KEY",
}


def _negated(text: str, root: str) -> str:
    """What to type where `!` takes only the first name, as it does in JMESPath."""
    found = re.search(rf"!({root}(?:\.[\w\"-]+)+)", text)
    return f"'!' takes only the first name: write  !({found[1]})" if found else ""


def _unknown_root(path: Path, text: str, steps: Steps, topology: Topology) -> Finding:
    if not steps:
        return Finding(
            RULE,
            Spot(path, token="@"),  # noqa: S106 - a part of the text, no password
            "'@' is everything at once, so nothing says what has to be there",
            f"name what you need: {', '.join(_EXAMPLES.values())}",
        )
    if steps[0].lower() in _LITERALS:
        return _bare(path, steps[0])
    suggestion = suggest(steps[0], ROOTS)
    return Finding(
        RULE,
        Spot(path, note=f"did you mean '{suggestion.word}'?" if suggestion else "", token=steps[0]),
        f"'{steps[0]}' is always null here: a condition looks at inputs, items and state",
        _below_a_root(text, steps, topology) or _as_text(text, steps[0]),
    )


def _as_text(text: str, name: str) -> str:
    """What to type for a name that was meant as text: it is compared with something."""
    mended = re.sub(rf"(?<=[=<>])(\s*)\"?{re.escape(name)}\"?(?![\w.\"\[-])", rf"\1'{name}'", text)
    if mended == text:
        return f"a name that is meant as text stands in single quotes:  '{name}'"
    return f"write  {mended}\na name that is meant as text stands in single quotes"


def _below_a_root(text: str, steps: Steps, topology: Topology) -> str:
    """What to type for an input, or an item's output or status, without what it stands below."""
    first, *rest = steps
    meant = ""
    if first in topology.data.get("inputs", ()):
        meant = f"inputs.{'.'.join(map(_quoted, steps))}"
    elif first in _OTHERS_ITEMS and rest:
        meant = f"items.{'.'.join(map(_quoted, rest))}"
    elif first in topology.nodes and rest and rest[0] in ("outputs", "status"):
        meant = f"items.{'.'.join(map(_quoted, steps))}"
    written = r"\.".join(rf"\"?{re.escape(step)}\"?" for step in steps)
    mended = re.sub(rf"(?<![\w.]){written}", lambda _: meant, text)
    return f"write  {mended}" if meant else ""


_OTHERS_ITEMS = ("needs", "steps", "jobs", "tasks")


def _bare(path: Path, word: str) -> Finding:
    literal = f"`{_LITERALS[word.lower()]}`"
    return Finding(
        RULE,
        Spot(path, token=word),
        f"'{word}' is a name here, and always null: JMESPath reads literals only in backticks",
        f"write  {literal}  with the backticks",
    )


_LITERALS = {"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null"}


def _criteria(
    path: Path, written: Written, outputs: tuple[str, ...] | None, agent: Agent | None
) -> Iterator[Finding]:
    """Faults of the criteria; what they read is looked up where the outputs are known."""
    said = _said(path, written, agent)
    for index, text in enumerate(written.get("criteria", ())):
        place, reading = (*path, "criteria", index), read(text)
        yield from _fault(place, reading)
        for steps in reading.paths:
            if steps and outputs is not None and steps[0] not in outputs:
                found = _no_output(place, steps[0], outputs, f'"{steps[0]}"' in text)
                hint = unsaid(agent, written, steps[0]) or found.hint
                yield found._replace(hint=hint, related=(said,))


def _said(path: Path, written: Written, agent: Agent | None) -> Spot:
    """Where it is said which outputs there are."""
    if "outputs" in written or agent is None:
        at, said = path, "outputs" in written
    else:
        at, said = agent.path, "outputs" in agent.written
    note = "what there is" if said else "it has 'result', the default"
    return Spot((*at, "outputs") if said else at, "key", note)


def _no_output(path: Path, name: str, outputs: tuple[str, ...], quoted: bool) -> Finding:
    if name.lower() in _LITERALS and not quoted:
        return _bare(path, name)
    suggestion = suggest(name, outputs)
    note = f"did you mean '{suggestion.word}'?" if suggestion else ""
    known = ", ".join(f"'{key}'" for key in outputs) or "none"
    return Finding(
        RULE,
        Spot(path, note=note, token=name),
        f"'{name}' is always null here: a criterion looks at the outputs of {describe(path[:2])}",
        f"a text stands in single quotes:  '{name}'" if quoted else f"outputs: {known}",
    )


def _quoted(name: str) -> str:
    return f'"{name}"' if "-" in name or "." in name else name


def _extracts(topology: Topology) -> Iterator[tuple[Path, str]]:
    for role in topology.roles.values():
        for key, text in role.written.get("handler", {}).get("extract", {}).items():
            yield (*role.path, "handler", "extract", key), text
