"""A run of three items, one after the other, which is left while the second waits for a file."""

import signal

from tests.field_reports.processes import Forge, stop

CHAIN = """forge: 1
inputs: {{word: {{default: x}}}}
work_items:
  a: {{script: 'echo a >> log; echo "$INPUT_W"', with: {{w: "${{inputs.word}}"}}, capabilities: []}}
  b:
    script: |
      echo b >> log
      echo $$ > b.pid
      echo "$FORGE_ATTEMPT $FORGE_KEY" >> keys
      while [ ! -e go ]; do sleep 0.02; done
      echo done
    on_crash: {on_crash}
    capabilities: []
    depends_on: [a]
  c:
    script: 'echo c >> log; echo "$INPUT_B"'
    with: {{b: "${{items.b.outputs.result}}"}}
    capabilities: []
outputs: {{last: "${{items.c.outputs.result}}"}}
"""


def crashed(forge: Forge, number: int = signal.SIGKILL, on_crash: str = "rerun") -> None:
    """A run that was left while its second item ran."""
    forge.write("m.forge.yaml", CHAIN.format(on_crash=on_crash))
    process = forge.start("run", "--run-id", "r")
    forge.pid("b.pid")
    stop(process, number)
    forge.write("go", "")


def log(forge: Forge) -> list[str]:
    return (forge.folder / "log").read_text().split()


def holding(forge: Forge) -> None:
    """The evidence of the run holds."""
    assert forge("verify", "evidence").code == 0
