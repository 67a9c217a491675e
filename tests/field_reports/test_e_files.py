"""Which files a run must find as they were to go on."""

from tests.field_reports.processes import Forge


def test_a_file_that_an_item_writes_and_an_argument_names_may_change(forge: Forge) -> None:
    forge.write(
        "m.forge.yaml",
        """forge: 1
work_items:
  make: {run: [touch, out.txt], capabilities: [write], writes: [files:out.txt]}
  ask: {run: [cat, ./out.txt], capabilities: [], approval: required, depends_on: [make]}
""",
    )
    paused = forge("run", "m.forge.yaml")
    assert paused.code == 4
    digest = forge.record()["approvals"][0]["digest"]
    assert forge("resume", "--approve", f"ask@{digest}").code == 0


def test_a_program_that_no_item_may_write_must_be_what_it_was(forge: Forge) -> None:
    forge.write("tool.sh", "#!/bin/sh\necho one\n").chmod(0o755)
    manifest = (
        "forge: 1\nwork_items:\n  a: {run: [./tool.sh], capabilities: [], approval: required}\n"
    )
    forge.write("m.forge.yaml", manifest)
    assert forge("run", "m.forge.yaml").code == 4
    digest = forge.record()["approvals"][0]["digest"]
    forge.write("tool.sh", "#!/bin/sh\necho two\n")
    refused = forge("resume", "--approve", f"a@{digest}")
    assert refused.code == 2
    assert "file './tool.sh'" in refused.err
