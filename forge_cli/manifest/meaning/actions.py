"""What capability words let a handler do, and the risk that follows from it."""

from collections.abc import Iterable, Mapping

from forge_cli.multiagent.terms import BUILT_IN, HARMLESS_WORDS, Risk

_READ = frozenset({"file-read"})

ACTIONS = frozenset({"file-read", "file-write", "process", "network"})
"""Every action but `tool:<server>/<tool>`."""


def is_action(text: str) -> bool:
    """Whether the text is an action, or names a tool as `tool:<server>/<tool>`."""
    if text in ACTIONS:
        return True
    server, slash, tool = text.removeprefix("tool:").partition("/")
    return text.startswith("tool:") and bool(server and slash and tool)


class Vocabulary:
    """The words of one manifest: the built-in ones and those that `capabilities` adds.

    A word that nobody declared allows nothing; built-in words cannot be redefined.
    """

    def __init__(self, declared: Mapping[str, Iterable[str]]) -> None:
        added = {word: frozenset(actions) for word, actions in declared.items()}
        self.words: Mapping[str, frozenset[str]] = {**added, **BUILT_IN}
        self._actions: dict[frozenset[str], frozenset[str]] = {}

    def actions(self, capabilities: frozenset[str]) -> frozenset[str]:
        """What the capabilities allow together."""
        found = self._actions.get(capabilities)
        if found is None:
            granted = (self.words.get(word, frozenset()) for word in capabilities)
            found = self._actions[capabilities] = frozenset().union(*granted)
        return found

    def risk(self, capabilities: frozenset[str]) -> Risk:
        """`read_only` if all that is granted is reading and running tests, else `reversible`."""
        others = capabilities - HARMLESS_WORDS
        return "read_only" if self.actions(others) <= _READ else "reversible"
