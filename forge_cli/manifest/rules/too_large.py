"""Finds manifests that are too large: more than 500,000 values, keys of over 1,024 characters.

A manifest is read by people, and nothing that they wrote comes near; what does is a bomb or the
wrong file. The limit of bytes is 8 MiB (`--max-size`). An example would be as large, so there is
none here.
"""

from collections.abc import Iterator

from forge_cli.manifest.findings import Finding
from forge_cli.manifest.subject import Subject


def check(subject: Subject) -> Iterator[Finding]:
    """What the reader of the YAML found."""
    return subject.faults("too-large")
