"""What tests of the manifest's meaning share."""

from collections.abc import Callable, Mapping
from textwrap import dedent

import pytest

from forge_cli.manifest.check import check, subject_of
from forge_cli.manifest.compilation.compile import compile as compile_manifest
from forge_cli.manifest.files import Files
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.meaning.topology import Topology
from forge_cli.manifest.reading.source import parse
from forge_cli.multiagent.plan import Plan

Findings = Callable[..., list[Finding]]
Meaning = Callable[[str], Topology]
Compiled = Callable[..., Plan]


@pytest.fixture
def findings() -> Findings:
    """All findings of a manifest's text, which may name files."""

    def of(
        text: str, now: int | None = None, files: Mapping[str, bytes] | None = None
    ) -> list[Finding]:
        return check(parse(dedent(text).encode()), "test.yaml", now, Files(None, files))

    return of


@pytest.fixture
def meaning() -> Meaning:
    """The topology of a manifest's text."""

    def of(text: str) -> Topology:
        return Topology(parse(dedent(text).encode()).data or {})

    return of


@pytest.fixture
def compiled() -> Compiled:
    """The plan of a manifest's text, which may name files."""

    def of(text: str, path: str = "test.yaml", files: Mapping[str, bytes] | None = None) -> Plan:
        source = parse(dedent(text).encode())
        subject = subject_of(source, path, files=Files(None, files))
        included = subject.source.included
        return compile_manifest(subject.topology, path, subject.files, included=included)

    return of
