"""Of every shipped manifest: each single widening of each part is breaking, and undone narrows."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from forge_cli.app.plan import compiled_from
from forge_cli.app.validate import beside
from forge_cli.manifest.comparison.compare import compare
from forge_cli.manifest.comparison.sides import Side
from forge_cli.manifest.compilation.handlers import Handlers
from forge_cli.manifest.files import Files

Data = dict[str, Any]

MANIFESTS = Path(__file__).resolve().parents[3] / "manifests"
PATHS = sorted(p for p in MANIFESTS.glob("**/*.yaml") if p.parent.name != "team")


def compiled(data: Data, path: Path) -> Side | None:
    """The data as if it stood in that file; None if it has an error."""
    files, programs = beside(str(path)), Files(MANIFESTS.parent)
    found = compiled_from(json.dumps(data).encode(), str(path), files, programs)
    if found.plan is None or found.topology is None:
        return None
    return Side(found.plan, found.topology, Handlers(files, programs))


def widened(data: Data) -> Iterator[Data]:
    """The manifest, wider or laxer in one dimension of one part; not each of them is valid."""
    roomy = {"model_calls": 10**9, "cost_usd": 10**6}
    yield from _with(data, (), scope=["files:**", "files:.ci/**"], budget=roomy, deadline="400d")
    yield from _with(data, ("settings",), hierarchical_max_depth=9, evidence="digests")
    for name, role in data.get("roles", {}).items():
        delegates = {"to": [name], "capabilities": role["capabilities"], "depth": 2}
        words = [*role["capabilities"], "network"]
        wider: Data = {"capabilities": words, "delegates": delegates}
        yield from _with(data, ("roles", name), **wider, **_where(role, scope=["files:**"]))
    for name, contract in data.get("delegations", {}).items():
        wider = {"scope": ["files:**"], "deadline": "400d", "budget": roomy, "depth": 1}
        laxer = _where(contract, criteria=[], evidence=[])
        yield from _with(data, ("delegations", name), **wider, **laxer)
    for name, item in data["work_items"].items():
        wider = _where(item, scope=["files:**"], deadline="5h", writes=...)
        if "capabilities" in item:
            wider["capabilities"] = [*item["capabilities"], "network"]
        laxer = {"required": False, **_where(item, criteria=..., evidence=..., completion=...)}
        longer = {} if "sub_tasks" in item else {"timeout": "9d"}
        yield from _with(data, ("work_items", name), **wider, **laxer, **longer)


def _where(part: Data, **values: Any) -> Data:
    """Those of the values that stand for something which is written."""
    return {key: value for key, value in values.items() if part.get(key)}


def _with(data: Data, path: tuple[str, ...], **values: Any) -> Iterator[Data]:
    for key, value in values.items():
        copied = copy.deepcopy(data)
        part = copied
        for step in path:
            part = part.setdefault(step, {})
        if value is not ...:
            part[key] = value
        elif key in part:
            del part[key]
        if copied != data:
            yield copied


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(MANIFESTS)))
def test_what_widens_one_part_is_breaking_and_taken_back_is_narrower(path: Path) -> None:
    data = yaml.safe_load(path.read_text("utf-8"))
    old = compiled(data, path)
    assert old is not None
    tried = 0
    for each in widened(data):
        new = compiled(each, path)
        if new is None:
            continue
        tried += 1
        changes, back = compare(old, new), compare(new, old)
        assert "breaking" in {change.verdict.weight for change in changes}
        assert {change.verdict.direction for change in back} & {"narrowed", "tightened", "changed"}
        assert {(c.key, c.aspect) for c in changes} == {(c.key, c.aspect) for c in back}
    assert tried >= 5


@pytest.mark.parametrize("path", PATHS, ids=lambda path: str(path.relative_to(MANIFESTS)))
def test_a_round_trip_through_another_writer_is_no_change(path: Path) -> None:
    data = yaml.safe_load(path.read_text("utf-8"))
    files, programs = beside(str(path)), Files(MANIFESTS.parent)
    found = compiled_from(path.read_bytes(), str(path), files, programs)
    assert found.plan is not None
    assert found.topology is not None
    old = Side(found.plan, found.topology, Handlers(files, programs))
    new = compiled(dict(reversed(data.items())), path)
    assert new is not None
    assert compare(old, new) == []
