"""The command `forge schema`."""

import json
import subprocess
import sys

import pytest

from forge_cli.__main__ import main


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "Manifest"


def test_neither_the_schema_nor_the_checks_import_pydantic() -> None:
    code = (
        "import sys\n"
        "from forge_cli.app.schema import schema\n"
        "from forge_cli.manifest.check import check\n"
        "from forge_cli.manifest.reading.source import parse\n"
        "schema()\n"
        "check(parse(b'forge: 1\\nwork_items: {a: {run: [x], capabilities: []}}\\n'), 'x')\n"
        "heavy = {'pydantic', 'typer', 'rich', 'jsonschema', 'jmespath'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
