"""The language as data: what is known where."""

from forge_cli.manifest.shape.language import child, explainable, keys, owners, schema, shapes


def test_a_place_knows_its_keys() -> None:
    assert "work_items" in keys(schema())
    assert keys(child(schema(), "budget")) == ("cost_usd", "model_calls", "tokens", "tool_calls")


def test_names_of_the_authors_own_are_no_keys() -> None:
    assert keys(child(schema(), "roles")) == ()


def test_a_place_knows_the_shapes_it_takes() -> None:
    item = child(child(schema(), "work_items"), "any-name")
    assert shapes(child(item, "for_each")) == ("list", "text")
    assert shapes(child(item, "on_failure")) == ("text", "mapping")


def test_a_key_knows_the_mappings_that_have_it() -> None:
    assert owners()["depends_on"] == ("Item", "SubTask")


def test_the_last_key_of_a_path_is_what_can_be_explained() -> None:
    assert explainable(("work_items", "review", "run", 1)) == "run"
    assert explainable(("work_items", "review")) == "work_items"
    assert explainable(("roles", "a", "handler", "argv")) == "argv"
