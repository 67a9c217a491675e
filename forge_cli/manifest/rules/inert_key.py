"""Finds keys that have no effect where they stand.

A key that is read and then forgotten is worse than an unknown one: whoever wrote it relies on it.

Bad:
```yaml
forge: 1
work_items:
  build:
    run: [make]
    capabilities: []
    max_parallel: 4
#   ^^^^^^^^^^^^
```

Good:
```yaml
forge: 1
work_items:
  build:
    for_each: [api, web]
    max_parallel: 4
    run: [make, "${each}"]
    capabilities: []
```
"""

from collections.abc import Callable, Iterator, Mapping

from forge_cli.handlers.presets import PRESETS
from forge_cli.manifest.findings import Finding, Path, Spot
from forge_cli.manifest.meaning.assembly import section
from forge_cli.manifest.meaning.nodes import Agent, Node, Written
from forge_cli.manifest.meaning.scopes import apart
from forge_cli.manifest.shape.language import handler_kinds
from forge_cli.manifest.subject import Subject
from forge_cli.multiagent.terms import BUILT_IN

RULE = "inert-key"


def check(subject: Subject) -> Iterator[Finding]:
    """Look at each key that needs another one, or something about its item, to have an effect."""
    topology = subject.topology
    for key, reason in _REASONS.items():
        for node in topology.holding(key):
            why = reason(node)
            if why:
                what = f"'{key}' has no effect in {_noun(node)}"
                yield _finding((*node.path, key), what, why)
    settings = section(subject.data, "settings")
    if not settings.get("dynamic_decomposition"):
        for node in topology.holding("complexity"):
            if node.own["complexity"] == "high":
                yield _finding(
                    (*node.path, "complexity"),
                    f"'complexity: high' has no effect in {_noun(node)}",
                    "only  settings: {dynamic_decomposition: true}  lets it insert steps",
                )
    for word in section(subject.data, "capabilities"):
        if word in BUILT_IN:
            actions = ", ".join(sorted(BUILT_IN[word]))
            what = f"'{word}' is built in, and cannot be redefined"
            yield _finding(
                ("capabilities", word), what, f"it allows {actions}; choose another word"
            )
    for role in topology.roles.values():
        yield from _handler(role)
    for path, written in topology.terms("on_failure"):
        if isinstance(written["on_failure"], dict):
            yield from _retry((*path, "retry"), section(written["on_failure"], "retry"))


def _retry(path: Path, retry: Written) -> Iterator[Finding]:
    """What says how to wait, where nothing is waited for."""
    for key in ("backoff", "factor", "max", "on"):
        if key in retry and retry.get("max_attempts") == 1:
            what = f"'{key}' has no effect with one attempt in all"
            yield _finding((*path, key), what, "write  max_attempts: 2  or more")
        elif key in retry and key in ("factor", "max") and "backoff" not in retry:
            what = f"'{key}' has no effect without a pause"
            yield _finding((*path, key), what, "write  backoff: 2s  or leave it out")


def _finding(path: Path, what: str, why: str) -> Finding:
    return Finding(RULE, Spot(path, "key"), what, why)


def _noun(node: Node) -> str:
    return f"{'sub-task' if node.parent is not None else 'item'} '{node.item_id}'"


def _pattern(node: Node) -> str:
    found = node.own.get("pattern") if node.parent is None else node.parent.own.get("pattern")
    return found if isinstance(found, str) else ""


def _for_each(node: Node) -> str:
    if node.children:
        return "its sub-tasks are what is done; write it in them"
    if node.parent is not None and _pattern(node) in ("broadcast", "joint"):
        return f"each part of a {_pattern(node)} item is one voice; write a sub-task for each"
    return ""


def _max_parallel(node: Node) -> str:
    if "for_each" not in node.own:
        return "write  for_each: [...]  or leave it out"
    if node.own["max_parallel"] > 1 and not apart(node.writes):
        return "elements that write the same go one at a time: put  ${each}  into  writes"
    return ""


def _accepted_as_a_whole(node: Node) -> str:
    return "its sub-tasks are what is accepted; write it in them" if node.children else ""


def _rounds(node: Node) -> str:
    return "" if _pattern(node) == "joint" else "only  pattern: joint  has rounds"


def _channels(node: Node) -> str:
    return "" if _pattern(node) == "broadcast" else "only  pattern: broadcast  has channels"


def _listens(node: Node) -> str:
    talks = _pattern(node) in ("broadcast", "joint")
    return "" if talks else "only the sub-tasks of  pattern: broadcast  or  joint  hear something"


def _max_steps(node: Node) -> str:
    return "" if node.own.get("complexity") == "high" else "write  complexity: high"


def _writes(node: Node) -> str:
    if node.children or "file-write" in node.actions or (node.agent is None and node.way == "role"):
        return ""
    return "its grant may not write: add a capability such as 'repository-write', or leave it out"


def _compensate(node: Node) -> str:
    restores = node.own["compensate"] == "restore"
    if not restores or node.children or node.agent is None or "file-write" in node.actions:
        return ""
    return "its grant may not write, so there is nothing to restore"


def _with(node: Node) -> str:
    if _reads_nothing(node):
        return "its role's program reads nothing: write  stdin: json  in the handler"
    if "run" not in node.own:
        return ""
    return "a 'run' gets no inputs: write  ${...}  where they belong, or write a 'script'"


def _context_package(node: Node) -> str:
    if _reads_nothing(node):
        return "its role's program reads nothing: write  stdin: json  in the handler"
    if _is_one_call(node):
        return "a tool is given the inputs alone: write what it needs under  with"
    if node.way != "inline":
        return ""
    return "a 'run' or 'script' is given none; name a role"


def _is_one_call(node: Node) -> bool:
    if node.agent is None or node.way == "inline" or node.children:
        return False
    return section(node.agent.written, "handler").get("kind") == "mcp"


def _reads_nothing(node: Node) -> bool:
    if node.agent is None or node.way == "inline" or node.children:
        return False
    return section(node.agent.written, "handler").get("stdin") == "none"


def _env(node: Node) -> str:
    kind = _kind(node)
    return "" if kind in ("", "inline", "command") else f"a handler of kind '{kind}' has none"


def _kind(node: Node) -> str:
    if node.agent is None or node.way == "inline":
        return "inline" if node.way == "inline" else ""
    found = node.agent.written.get("handler", {}).get("kind", "")
    is_program = found in PRESETS or (found and found not in handler_kinds())
    return "command" if is_program else str(found)


_REASONS: Mapping[str, Callable[[Node], str]] = {
    "for_each": _for_each,
    "max_parallel": _max_parallel,
    "rounds": _rounds,
    "channels": _channels,
    "posts": _channels,
    "listens": _listens,
    "max_steps": _max_steps,
    "writes": _writes,
    "compensate": _compensate,
    "with": _with,
    "context_package": _context_package,
    "completion": _accepted_as_a_whole,
    "criteria": _accepted_as_a_whole,
    "evidence": _accepted_as_a_whole,
    "sandbox": _env,
}


def _handler(role: Agent) -> Iterator[Finding]:
    handler = role.written.get("handler", {})
    path = (*role.path, "handler")

    if "extract" in handler and handler.get("result") == "text":
        what = f"'extract' has no effect in role '{role.role_id}'"
        yield _finding((*path, "extract"), what, "write  result: stdout-json  or jsonl, file")
    servers = [((*path, "servers", n), each) for n, each in section(handler, "servers").items()]
    for place, server in [((*path, "server"), section(handler, "server")), *servers]:
        for key in ("env", "secrets", "sandbox"):
            if key in server and "url" in server:
                what = f"'{key}' has no effect in a server of role '{role.role_id}'"
                yield _finding((*place, key), what, "one with a 'url' is not started here")
