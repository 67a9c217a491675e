"""What refuses shapes if its checked-in form is refused."""

import pytest

from forge_cli.manifest.shape import shapes


def test_a_schema_that_pydantic_core_refuses_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "schema", lambda: {"type": "of another version"})
    validator = shapes._validator.__wrapped__()
    item = {"run": ["x"], "capabilities": []}
    assert validator.isinstance_python({"forge": 1, "work_items": {"a": item}})
    assert not validator.isinstance_python({"forge": 1, "work_items": {"a": "x"}})
