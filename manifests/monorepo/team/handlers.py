"""What the roles of the services do: read what a service says of itself, and check that."""

import json
from pathlib import Path
from typing import Any

NEEDED = ("owner", "on_call", "port")
PORTS = range(8000, 9000)


def read(turn: Any) -> dict[str, Any]:
    """The facts of the service whose file is named."""
    return {"facts": json.loads(Path(turn.inputs["file"]).read_text("utf-8"))}


def check(turn: Any) -> dict[str, Any]:
    """A finding for each fact that is missing or not as agreed."""
    facts = turn.inputs["facts"]
    findings = [f"'{name}' is missing" for name in NEEDED if name not in facts]
    if "port" in facts and facts["port"] not in PORTS:
        findings.append(f"port {facts['port']} is not one of {PORTS.start} to {PORTS.stop - 1}")
    return {"findings": findings, "verdict": "reject" if findings else "approve"}
