"""Suggestions for words that are not known: other tools' words first, then edit distance."""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

_FOREIGN: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "needs": ("GitHub's", ("depends_on",)),
    "steps": ("GitHub's", ("work_items", "sub_tasks")),
    "jobs": ("GitHub's", ("work_items", "sub_tasks")),
    "if": ("GitHub's", ("when",)),
    "matrix": ("GitHub's", ("for_each",)),
    "strategy": ("GitHub's", ("for_each",)),
    "permissions": ("GitHub's", ("capabilities", "authority")),
    "timeout-minutes": ("GitHub's", ("timeout",)),
    "continue-on-error": ("GitHub's", ("required", "on_failure")),
    "concurrency": ("GitHub's", ("max_parallel", "settings")),
    "max-parallel": ("GitHub's", ("max_parallel",)),
    "uses": ("GitHub's", ("role", "include")),
    "parallel": ("GitLab's", ("pattern", "for_each")),
    "stages": ("GitLab's", ("work_items",)),
    "retry": ("GitLab's", ("on_failure",)),
    "variables": ("GitLab's", ("env", "inputs")),
    "agents": ("CrewAI's", ("roles",)),
    "tasks": ("CrewAI's", ("work_items", "sub_tasks")),
    "agent": ("CrewAI's", ("role", "delegate")),
    "expected_output": ("CrewAI's", ("completion",)),
    "allow_delegation": ("CrewAI's", ("delegates",)),
    "max_iter": ("CrewAI's", ("max_turns",)),
    "backstory": ("CrewAI's", ("instructions",)),
    "llm": ("CrewAI's", ("model", "handler")),
    "context": ("CrewAI's", ("context_package", "with")),
    "tools": ("other tools'", ("capabilities", "authority")),
    "prompt": ("other tools'", ("goal", "instructions", "purpose")),
    "with_items": ("Ansible's", ("for_each",)),
    "loop": ("Ansible's", ("for_each",)),
    "hosts": ("Ansible's", ("role",)),
    "register": ("Ansible's", ("outputs",)),
    "deps": ("Task's", ("depends_on",)),
    "cmds": ("Task's", ("script", "run")),
    "cmd": ("Task's", ("run", "argv")),
    "command": ("Compose's", ("run", "argv")),
    "environment": ("Compose's", ("env",)),
    "args": ("other tools'", ("with", "argv")),
    "params": ("other tools'", ("with", "inputs")),
    "retries": ("other tools'", ("on_failure", "max_attempts")),
    "dependencies": ("other tools'", ("depends_on",)),
    "description": ("other tools'", ("goal", "purpose")),
    "permission": ("other tools'", ("capabilities", "authority")),
    "type": ("other tools'", ("kind",)),
    "string": ("", ("text",)),
    "text": ("", ("string",)),
    "str": ("", ("string", "text")),
    "int": ("", ("integer",)),
    "float": ("", ("number",)),
    "bool": ("", ("boolean",)),
    "list": ("", ("array",)),
    "map": ("", ("object",)),
    "dict": ("", ("object",)),
    "mapping": ("", ("object",)),
    "continue-on-failure": ("", ("continue",)),
    "ignore": ("", ("continue",)),
    "abort": ("", ("fail",)),
    "python": ("", ("function",)),
    "shell": ("", ("command",)),
    "process": ("", ("command",)),
    "exec": ("", ("command",)),
    "llm-agent": ("", ("agent",)),
    "claude": ("", ("claude-code",)),
}

_LONGEST = 40


class Suggestion(NamedTuple):
    """The word that was meant, and whose word was written (`GitHub's`), if it is another tool's."""

    word: str
    whose: str = ""


@lru_cache(maxsize=256)
def suggest(word: str, words: tuple[str, ...]) -> Suggestion | None:
    """The one of `words` that was most likely meant, or None: a wrong suggestion costs more."""
    whose, meant = _FOREIGN.get(word.lower(), ("", ()))
    for candidate in meant:
        if candidate in words:
            return Suggestion(candidate, whose)
    near = nearest(word, words)
    return Suggestion(near) if near else _by_part(word, words)


@lru_cache(maxsize=256)
def nearest(word: str, known: tuple[str, ...]) -> str | None:
    """The known word that is a few typing errors away, if there is one."""
    if len(word) > _LONGEST:
        return None
    flat = _flat(word)
    most = len(flat) // 3
    ranked = sorted((_distance(flat, _flat(each), most), each) for each in known)
    return ranked[0][1] if ranked and ranked[0][0] <= most else None


def _by_part(word: str, known: tuple[str, ...]) -> Suggestion | None:
    """`max_deepth` means the known word that has a part like `deepth`, if there is just one."""
    if len(word) > _LONGEST:
        return None
    mine = [part for part in word.lower().replace("-", "_").split("_") if len(part) > 3]
    near = [
        each
        for each in known
        if any(
            _distance(part, theirs, len(part) // 4) <= len(part) // 4
            for part in mine
            for theirs in each.split("_")
        )
    ]
    return Suggestion(near[0]) if len(near) == 1 else None


def _flat(word: str) -> str:
    return word.lower().replace("-", "").replace("_", "")


def _distance(one: str, other: str, most: int) -> int:
    """Edits (insert, drop, change, swap of neighbours) that lead from one word to the other.

    Any number over `most` stands for all of them: most words are told apart after a few letters.
    """
    if abs(len(one) - len(other)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, b in enumerate(other, 1):
            best = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        if min(row) > most:
            return most + 1
    return row[-1]
