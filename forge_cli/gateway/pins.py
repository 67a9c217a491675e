"""How the tools of servers were described when they were first listed."""

from collections.abc import Callable, Mapping


class Pins:
    """The digests of the descriptions, by server and tool.

    Shared by all doors of a run, so that a server cannot become another one between two of them.
    `known` are those from before, and `keep` is given all of them whenever there are more: so that
    they hold as well for a process that goes on with the run.
    """

    def __init__(
        self,
        known: Mapping[str, str] | None = None,
        keep: Callable[[Mapping[str, str]], None] = lambda _: None,
    ) -> None:
        self._digests = dict(known or {})
        self._keep = keep

    def hold(self, server: str, tools: Mapping[str, str]) -> frozenset[str]:
        """The tools that are described as they were at first; new ones are from now on.

        `tools` are the digests of the descriptions by their names.
        """
        named = {name: f"{server} {name}" for name in tools}
        new = {named[name]: tools[name] for name in tools if named[name] not in self._digests}
        if new:
            self._digests |= new
            self._keep(self._digests)
        return frozenset(name for name in tools if self._digests[named[name]] == tools[name])
