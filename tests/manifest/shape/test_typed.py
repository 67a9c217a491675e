"""What advice says is to be typed: put into the manifest, it has the shape that the key takes."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.reading.source import parse

SHAPE = {"unknown-key", "wrong-type", "unknown-value", "ambiguous-scalar", "missing-key"}


def advice(line: str) -> str:
    """The first line of the hint for an item with this line."""
    found = check(parse(manifest(line)), "x.yaml")
    assert found
    return found[0].hint.splitlines()[0]


def manifest(line: str) -> bytes:
    return f"""\
forge: 1
inputs: {{x: {{default: a}}}}
roles: {{r: {{capabilities: [], handler: {{kind: command, argv: [x]}}}}}}
work_items:
  build: {{role: r}}
  test:
    capabilities: []
    {line}
""".encode()


@pytest.mark.parametrize(
    ("line", "typed"),
    [
        ("run: echo hi", "run: [echo, hi]"),
        ("run: \"echo 'hello world'\"", 'run: [echo, "hello world"]'),
        ("run: echo ${inputs.x}", 'run: [echo, "${inputs.x}"]'),
        ("run: make | tee log", 'script: "make | tee log"'),
        ("run: echo $HOME", 'script: "echo $HOME"'),
        ("run: it's", 'script: "it\'s"'),
        ("cmd: make all", "run: [make, all]"),
        ("cmds: [make, make test]", 'script: "make\\nmake test"'),
        ("retry: 3", "on_failure: {retry: {max_attempts: 3}}"),
        ('retry: "2"', "on_failure: {retry: {max_attempts: 2}}"),
        ("retry: {max: 2, when: always}", "on_failure: {retry: {max_attempts: 2}}"),
        ("retry: 0", "on_failure: fail"),
        ("retries: 5", "on_failure: {retry: {max_attempts: 5}}"),
        ("on_failure: retry", "on_failure: {retry: {max_attempts: 3}}"),
        ("on_failure: 4", "on_failure: {retry: {max_attempts: 4}}"),
        ('if: "true"', 'when: "`true`"'),
        ("if: false", 'when: "`false`"'),
        ("when: true", 'when: "`true`"'),
        ("if: \"${{ inputs.x == 'a' }}\"", "when: \"inputs.x == 'a'\""),
        ("needs: build", "depends_on: [build]"),
        ("depends_on: build, build", "depends_on: [build, build]"),
        ("timeout-minutes: 10", "timeout: 10m"),
        ("timeout: 10", "timeout: 10s  if seconds are meant, 10m, 10h or 10d if not"),
        ("continue-on-error: true", "required: false"),
        ("max-parallel: 2", "max_parallel: 2"),
        ("matrix: [a, b]", "for_each: [a, b]"),
        ("agent: r", "role: r"),
    ],
)
def test_a_value_of_another_shape_or_tool_is_written_as_the_key_takes_it(
    line: str, typed: str
) -> None:
    assert advice(line) == f"write  {typed}"


@pytest.mark.parametrize(
    "line",
    [
        "run: echo hi",
        "run: make | tee log",
        "run: it's",
        "retry: 3",
        "retry: {max: 2}",
        "on_failure: retry",
        'if: "true"',
        "when: false",
        "needs: build",
        "timeout-minutes: 10",
        "continue-on-error: true",
    ],
)
def test_advice_that_is_followed_to_the_letter_leaves_no_fault_behind(line: str) -> None:
    followed = advice(line).removeprefix("write  ")
    doer = "" if followed.startswith(("run", "script")) else "run: [x]\n    "
    assert check(parse(manifest(doer + followed)), "x.yaml") == []


def test_advice_names_the_key_alone_where_the_value_says_nothing_about_it() -> None:
    assert advice("strategy: {matrix: {os: [a]}}") == "write  for_each:  (forge explain for_each)"


@pytest.mark.parametrize(
    ("data", "typed"),
    [
        ("[{id: build, run: [make]}]", "build: {run: [make]}"),
        ("[{name: build, run: [make]}]", "build: {run: [make]}"),
        ("[build, test]", "build:"),
        ("[{run: [make]}]", "NAME: {run: [make]}"),
        ("[]", "NAME:"),
    ],
)
def test_a_list_of_named_things_is_told_as_a_mapping_with_the_names(data: str, typed: str) -> None:
    found = check(parse(f"forge: 1\nwork_items: {data}\n".encode()), "x.yaml")
    way = "write each entry below a name of its own, not in a list"
    assert [each.hint for each in found] == [f"{way}:  work_items:  and below it  {typed}"]


def test_variables_in_a_list_are_told_as_a_mapping() -> None:
    assert advice("run: [x]\n    env: [MODE=fast]") == "write  env: {MODE: fast}"
