"""Jobs that validate manifests where changes are reviewed: at GitHub and at GitLab."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from forge_cli.app.workspace import workspace_of
from forge_cli.errors import ForgeError

_GITHUB = """\
# Checks the manifests of this repository; runs nothing that they name.
name: forge
on:
  pull_request:
  push: {branches: [main, master]}
permissions: {contents: read}
jobs:
  validate:
    runs-on: ubuntu-24.04
    timeout-minutes: 10
    env:
      FORGE: %s    # what pip installs: a wheel's path or address, or git+https://...@COMMIT
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683    # v4.2.2
        with: {persist-credentials: false}
      - uses: actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065    # v5.6.0
        with: {python-version: "3.12"}
      # Plug-ins whose kinds the manifests use are installed here as well.
      - run: python -m pip install --quiet "${FORGE:?say in this workflow what pip installs}"
      - run: forge validate
"""

_GITLAB = """\
# Checks the manifests of this repository; runs nothing that they name.
forge:
  image: python:3.12
  variables:
    FORGE: %s    # what pip installs: a wheel's path or address, or git+https://...@COMMIT
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  script:
    # Plug-ins whose kinds the manifests use are installed here as well.
    - python -m pip install --quiet "${FORGE:?say in this job what pip installs}"
    - forge validate --report gitlab=gl-code-quality-report.json
  artifacts:
    when: always
    reports: {codequality: gl-code-quality-report.json}
"""

SERVICES: Mapping[str, tuple[str, str]] = {
    "github": (".github/workflows/forge.yml", _GITHUB),
    "gitlab": (".gitlab-ci.yml", _GITLAB),
}
"""Each service: the file that it reads below the git root, and the job, but for what is installed.

Actions are pinned by commit, and the job may only read.
"""


@dataclass(frozen=True, slots=True)
class Job:
    """A job for a service: where it is or belongs, its text, and whether it was written.

    `complete` says that it needs no edit: what it installs is known. `use` are the words for what
    to do with the text where the file is there already.
    """

    path: Path
    text: str
    written: bool
    complete: bool
    use: str = ""


def job(service: str, folder: Path) -> Job:
    """Write the job for the repository that the folder lies in, if its file is not there.

    A file that is there stays as it is. `ForgeError` if nothing can be written.
    """
    name, template = SERVICES[service]
    path = Path(os.path.relpath(workspace_of(folder / "any") / name))
    source = requirement(_origin())
    text = template % json.dumps(source)
    if path.is_symlink() or path.exists():
        use = "put the lines below into it"
        if service == "github":
            use = "compare it with the lines below"
        return Job(path, text, written=False, complete=bool(source), use=use)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as fault:
        reason = fault.strerror or str(fault)
        raise ForgeError(f"'{fault.filename or path}' cannot be written: {reason}") from fault
    return Job(path, text, written=True, complete=bool(source))


def _origin() -> Mapping[str, Any]:
    """Where this forge was installed from, if pip has noted it (PEP 610)."""
    try:
        written = distribution("forge-cli").read_text("direct_url.json")
    except PackageNotFoundError:
        return {}
    return {} if written is None else json.loads(written)


def requirement(origin: Mapping[str, Any]) -> str:
    """What pip takes to install the very same elsewhere, pinned; nothing for a local folder.

    A name alone would not do: the package index has another program of forge's name.
    """
    url = str(origin.get("url", ""))
    if not url.startswith("https://"):
        return ""
    if "vcs_info" in origin:
        return f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
    digest = origin.get("archive_info", {}).get("hashes", {}).get("sha256")
    return f"{url}#sha256={digest}" if digest else url
