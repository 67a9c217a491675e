"""What JMESPath expressions read, as far as it can be known without data."""

import subprocess
import sys

import pytest

from forge_cli.manifest.meaning.expressions import read


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("items.a.status", {("items", "a", "status")}),
        ('items."a-b".outputs.x == `1`', {("items", "a-b", "outputs", "x")}),
        ("a && !(b.c)", {("a",), ("b", "c")}),
        ("length(a[?b.c == 'x'].d) > `0`", {("a",)}),
        ("a[0].b", {("a",)}),
        ("a.[b, c.d]", {("a", "b"), ("a", "c", "d")}),
        ("{x: a.b, y: c}", {("a", "b"), ("c",)}),
        ("sum([u.i, u.o])", {("u", "i"), ("u", "o")}),
        ("a.b | c", {("a", "b", "c")}),
        ("a | length(@)", {("a",)}),
        ("sort_by(a, &b)", {("a",)}),
        ("items.*.status", {("items",)}),
        ("a[].b", {("a",)}),
        ("@", {()}),
        ("'text'", set()),
    ],
)
def test_a_path_is_followed_until_only_data_could_tell(
    text: str, paths: set[tuple[str, ...]]
) -> None:
    reading = read(text)
    assert reading.fault == ""
    assert set(reading.paths) == paths


@pytest.mark.parametrize("text", ["", " ", "a b", "a.", "a[", "(" * 10_000, "a ==", "f(", "'x"])
def test_what_cannot_be_compiled_is_refused_with_words(text: str) -> None:
    assert read(text).fault


@pytest.mark.parametrize("text", ["a||" * 900 + "a", "!" * 900 + "a", "a|" * 250 + "a"])
def test_what_is_too_deep_to_be_evaluated_is_refused(text: str) -> None:
    assert read(text).fault == "the expression is nested too deeply"


@pytest.mark.parametrize("text", ["a || " * 190 + "a", ".".join("a" * 900)])
def test_a_long_expression_is_read(text: str) -> None:
    assert read(text).fault == ""


@pytest.mark.parametrize("text", ["a." * 3_000_000 + "a", "a" * 4_097, " " * 4_097])
def test_an_expression_that_nobody_wrote_is_refused_unread(text: str) -> None:
    assert read(text).fault.endswith("characters, at most 4,096 may be")


def test_a_plain_path_needs_no_parser() -> None:
    code = (
        "import sys; from forge_cli.manifest.meaning.expressions import read;"
        "assert read('items.a.outputs.b').paths; print('jmespath' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_manifest_without_schemas_and_expressions_imports_neither_library() -> None:
    code = (
        "import sys; from forge_cli.manifest.check import check;"
        "from forge_cli.manifest.reading.source import parse;"
        "found = check(parse(b'forge: 1\\nwork_items: {a: {run: [x], capabilities: []}}'), 'a');"
        "heavy = {'jmespath', 'jsonschema', 'pydantic', 'typer', 'rich'};"
        "print(found, sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[] []\n"
