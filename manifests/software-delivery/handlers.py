"""The researcher and the builder: plain functions, no network, no key, no model."""

import re
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path


def research(turn):
    """Find where the feature belongs: the slot in the template, the renderer, the tests."""
    project = Path(turn.inputs["project"])
    template = next(path for path in sorted(project.rglob("*.html")) if "$total" in _read(path))
    renderer = next(
        path for path in sorted(project.glob("*.py")) if "TEMPLATE.substitute" in _read(path)
    )
    tests = sorted(str(path.relative_to(project)) for path in project.glob("tests/test_*.py"))
    return {
        "notes": {
            "template": str(template.relative_to(project)),
            "renderer": str(renderer.relative_to(project)),
            "style": str(next(project.rglob("*.css")).relative_to(project)),
            "tests": tests,
            "behind": _line_with("$total", template),
            "money": "whole cents",
        }
    }


def build(turn):
    """Add the tests, see them fail, make the change, see them pass."""
    project, change = Path(turn.inputs["project"]), Path(turn.inputs["change"])
    if (project / "free_delivery.py").exists():
        raise ValueError(
            f"{project} has the feature already: run this on a fresh copy, as `make run` does"
        )
    free_from = int(turn.inputs["free_from"])
    if free_from < 1:
        raise ValueError(f"free_from is in cents and at least 1, not {free_from}")
    before = _texts(project)
    _copy(change / "test_free_delivery.py", project / "tests", free_from)
    red = _run_tests(project)
    _copy(change / "free_delivery.py", project, free_from)
    _place(project, turn.inputs["notes"])
    green = _run_tests(project)
    after = _texts(project)
    changed = sorted(name for name in after if before.get(name) != after[name])
    diff = "".join(_diff(name, before.get(name, ""), after[name]) for name in changed)
    return {"diff": diff, "files": changed, "before": red, "after": green}


def _place(project, notes):
    """Give the hint its place in the template, the renderer and the style sheet."""
    template, renderer = project / notes["template"], project / notes["renderer"]
    slot = '    <p class="delivery">$delivery</p>\n'
    _edit(template, notes["behind"], notes["behind"] + slot)
    uses, opens = "from cart import Line, total\n", '    """The whole page for these lines."""\n'
    _edit(renderer, uses, uses + "from free_delivery import hint, missing\n")
    _edit(renderer, opens, opens + "    due = total(lines)\n")
    _edit(
        renderer,
        "        total=money(total(lines)),\n",
        "        total=money(due),\n        delivery=hint(due, money(missing(due))),\n",
    )
    style = project / notes["style"]
    style.write_text(_read(style) + "\n.delivery {\n  text-align: right;\n}\n", "utf-8")


def _edit(path, old, new):
    text = _read(path)
    if text.count(old) != 1:
        raise ValueError(f"{path} holds {old.strip()!r} {text.count(old)} times, not once")
    path.write_text(text.replace(old, new), "utf-8")


def _copy(source, folder, free_from):
    text = _read(source).replace("FREE_FROM = 5000", f"FREE_FROM = {free_from}")
    (folder / source.name).write_text(text, "utf-8")


def _run_tests(project):
    """How many tests ran and how many of them failed, as unittest says."""
    argv = [sys.executable, "-B", "-m", "unittest", "discover", "-s", "tests"]
    said = subprocess.run(argv, cwd=project, capture_output=True, text=True, check=False).stderr
    ran = re.search(r"^Ran (\d+) test", said, re.MULTILINE)
    if ran is None:
        raise ValueError(f"the tests did not run: {said[-400:]}")
    failed = re.findall(r"(?:failures|errors)=(\d+)", said)
    return {"run": int(ran[1]), "failed": sum(map(int, failed))}


def _texts(project):
    return {
        str(path.relative_to(project)): _read(path)
        for path in sorted(project.rglob("*"))
        if path.suffix in {".py", ".html", ".css"}
    }


def _diff(name, before, after):
    old = f"a/{name}" if before else "/dev/null"
    return "".join(unified_diff(before.splitlines(True), after.splitlines(True), old, f"b/{name}"))


def _line_with(word, path):
    return next(line for line in _read(path).splitlines(True) if word in line)


def _read(path):
    return path.read_text("utf-8")
