"""The supervisor: patches the refresh path and sees the tests pass."""

import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

HERE = Path("manifests/authorization-review")
EDITS = (
    (
        '        """Take a token and hand out the next."""\n'
        "        since = self._issued.get(token)\n",
        '        """Take a token, which is good for one use, and hand out the next."""\n'
        "        since = self._issued.pop(token, None)\n",
    ),
    ("self._clock() - since > MAX_AGE", "self._clock() - since >= MAX_AGE"),
    (
        "            raise Refused(token)\n",
        '            raise Refused("the refresh token is not good")\n',
    ),
)
"""Old and new text: one use, the limit to the second, no token in an error's text."""


def supervise(turn):
    """Make the change and answer it as a diff."""
    path = HERE / "security" / "refresh.py"
    before = after = path.read_text("utf-8")
    for old, new in EDITS:
        if after.count(old) != 1:
            raise ValueError(
                f"{path} holds {old.strip()!r} {after.count(old)} times: it is patched already; "
                "run this on a fresh copy"
            )
        after = after.replace(old, new)
    path.write_text(after, "utf-8")
    argv = [sys.executable, "-B", "-m", "unittest", "tests.test_refresh"]
    tests = subprocess.run(argv, cwd=HERE, capture_output=True, text=True, check=False)
    if tests.returncode:
        raise ValueError(f"the tests fail after the patch: {tests.stderr[-400:]}")
    name = "security/refresh.py"
    lines = unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}")
    return {"diff": "".join(lines)}
