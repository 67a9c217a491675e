"""How the tools of servers were described when they were first listed."""


class Pins:
    """The digests of the descriptions, by server and tool.

    Shared by all doors of a run, so that a server cannot become another one between two of them.
    """

    def __init__(self) -> None:
        self._digests: dict[tuple[str, str], str] = {}

    def hold(self, server: str, tool: str, digest: str) -> bool:
        """Whether the tool is described as it was at first; from now on that is so."""
        return self._digests.setdefault((server, tool), digest) == digest
