"""The reviewer: reads the change as JSON on standard input, answers findings and a verdict."""

import json
import re
import sys

RULES = (
    (r"\.py$", r"\bfloat\(|[^/]/\s*100\b", "major", "money is whole cents, never a float"),
    (r"\.py$", r"\bprint\(|\bbreakpoint\(", "major", "left over from looking for a fault"),
    (r"\.html$", r"\sstyle=|<script", "major", "style and scripts do not belong in the template"),
    (r".", r"^.{101,}", "minor", "longer than 100 columns"),
    (r".", r"TODO|FIXME", "minor", "says itself that it is not done"),
    (r".", r"\s+$", "minor", "ends in white space"),
)


def added_lines(diff):
    """(file, line number in the new file, text) of every line that a unified diff adds."""
    name, number = "", 0
    for line in diff.splitlines():
        if line.startswith("+++ "):
            name = line[4:].removeprefix("b/")
        elif hunk := re.match(r"@@ -\S+ \+(\d+)", line):
            number = int(hunk[1])
        elif line.startswith("+"):
            yield name, number, line[1:]
            number += 1
        elif line.startswith(" "):
            number += 1


def findings(diff):
    """What the rules and the look at the whole have to say, in the order of the diff."""
    added = list(added_lines(diff))
    for name, number, text in added:
        for files, pattern, severity, words in RULES:
            if re.search(files, name) and re.search(pattern, text):
                yield {"file": name, "line": number, "severity": severity, "text": words}
    if not any("/test_" in name and "def test_" in text for name, _, text in added):
        yield major("no test came with it")
    for line in diff.splitlines():
        if re.match(r"-\s+def test_", line):
            yield major(f"a test is gone: {line[1:].strip()}")


def major(text):
    """A finding about the tests as a whole."""
    return {"file": "tests", "line": 1, "severity": "major", "text": text}


def main():
    turn = json.load(sys.stdin)
    found = list(findings(turn["inputs"]["diff"]))
    approved = not any(finding["severity"] == "major" for finding in found)
    json.dump({"findings": found, "verdict": "approve" if approved else "reject"}, sys.stdout)


if __name__ == "__main__":
    main()
