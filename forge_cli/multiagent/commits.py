"""The shared state of a run as a sequence of versions, each with one writer."""

from collections.abc import Mapping

from forge_cli.multiagent.node import Node
from forge_cli.multiagent.plan import Json, StateKey
from forge_cli.multiagent.shared_state import merge
from forge_cli.multiagent.values import is_artifact


class Commits:
    """What has been accepted so far, one version for each result.

    `values` holds outputs under item ids and the shared keys; `writers` a row (version, item,
    attempt, version it had read) for every commit. Nothing is copied on a commit.
    """

    def __init__(self, keys: Mapping[str, StateKey]) -> None:
        self.version = 0
        self.values: dict[str, Json] = {}
        self.writers: list[tuple[int, str, str, int]] = []
        self._keys = keys
        self._written: dict[str, tuple[int, str]] = {}

    def commit(self, node: Node, output: Mapping[str, Json]) -> None:
        """Make an accepted result the next version.

        Raises `ValueError` with both versions if the shared key it returns to was changed by
        another since the turn started, or with both types if the values cannot be merged.
        """
        key = node.item.return_key
        # The item of a `for_each` returns all of its elements' outputs at once, in their order.
        if key is not None and not node.is_element:
            self._write(key, node, output[key] if key in output else dict(output))
        self.version += 1
        self.values[node.item_id] = output
        self.writers.append((self.version, node.item_id, node.attempt_id, node.read_version))

    def _write(self, key: str, node: Node, value: Json) -> None:
        rule = self._keys[key].merge if key in self._keys else "reject"
        version, writer = self._written.get(key, (0, ""))
        if rule == "reject" and version > node.read_version:
            raise ValueError(
                f"conflict: state {key!r} was changed by {writer!r} in version {version}, "
                f"the turn had read version {node.read_version}"
            )
        if rule != "reject" and is_artifact(value):
            raise ValueError(
                f"state {key!r} joins lists, and what {node.item_id!r} returns is kept as an "
                f"artifact of {value['bytes']} bytes; return less"
            )
        self.values[key] = merge(rule, self.values.get(key), value)
        self._written[key] = (self.version + 1, node.item_id)
