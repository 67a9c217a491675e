"""Where the tests are measured, the processes that start programs are measured with them."""

import json
import os
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import coverage
import pytest

from forge_cli.gateway import processes
from forge_cli.gateway.sandbox.landlock import _drop_capabilities

MEASURED = """
import sys
if not sys.argv[2]:  # nothing is written from within a sandbox
    import atexit, os
    sys.path.append({site!r})
    os.environ["COVERAGE_PROCESS_CONFIG"] = {config!r}
    import coverage
    begun = coverage.process_startup()
    # A fork keeps it all when it exits, which is after what it has registered for its end.
    os.register_at_fork(after_in_child=lambda: atexit.unregister(begun._atexit))
"""


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have wardens, and what they fork, keep what they went through beside the tests' own."""
    here = coverage.Coverage.current()
    if here is not None:
        site = str(Path(coverage.__file__).parents[1])
        begin = MEASURED.format(site=site, config=here.config.serialize())
        monkeypatch.setattr(processes, "BOOT", f"{begin}\n{processes.BOOT}")


@pytest.fixture
def fifo(tmp_path: Path) -> Path:
    """A pipe file by which a program tells something."""
    path = tmp_path / "fifo"
    os.mkfifo(path)
    return path


@pytest.fixture
def aside() -> Callable[[Callable[[], Any]], Any]:
    """Calls a function in a fork of the tests, for what no test may do to itself.

    What it returns comes back through JSON; what it raises is printed, and fails the test.
    """

    def call(function: Callable[[], Any]) -> Any:
        source, target = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # no other thread is needed there
            pid = os.fork()
        if not pid:
            try:
                os.write(target, json.dumps(function()).encode())
            except BaseException:  # noqa: BLE001 - told there
                traceback.print_exc()
            os._exit(0)
        os.close(target)
        with os.fdopen(source) as said:
            words = said.read()
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
        return json.loads(words)

    return call


@pytest.fixture
def powerless(aside: Callable[[Callable[[], Any]], Any]) -> Callable[[Callable[[], Any]], Any]:
    """The same for what is refused to everybody but root, also where the tests are root's."""

    def call(function: Callable[[], Any]) -> Any:
        def refused() -> Any:
            _drop_capabilities()
            return function()

        return aside(refused)

    return call
