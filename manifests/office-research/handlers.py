"""A researcher that quotes, a writer that has the quotes only, a checker that looks them up."""

import re
from pathlib import Path


def collect(turn):
    """Every sentence of one source that holds a figure, with the line it stands on."""
    source = Path(turn.inputs["source"])
    claims = []
    for number, line in enumerate(source.read_text("utf-8").splitlines(), 1):
        figures = [int(figure) for figure in re.findall(r"\b\d+\b", line)]
        if figures and not line.startswith("#"):
            claims.append(
                {"source": source.name, "line": number, "quote": line, "figures": figures}
            )
    return {"claims": claims}


def write(turn):
    """Answer the question from the claims: what would be saved, and what speaks against it."""
    claims = [claim for found in turn.inputs["claims"] for claim in found]
    desks, busiest = _claim(claims, "desks on four floors"), _claim(claims, "busiest day")
    rent, rooms = _claim(claims, "one floor cost"), _claim(claims, "booked 83 percent")
    floor = desks["figures"][0] // turn.inputs["floors"]
    spare = desks["figures"][0] - busiest["figures"][0]
    verdict = "could be given up" if spare >= floor else "cannot be given up"
    yearly = 12 * rent["figures"][0]
    points = (
        (f"{spare} desks stay free on the busiest day; a floor has {floor}", (desks, busiest)),
        (f"one floor costs {yearly} euros a year", (rent,)),
        ("small meeting rooms are short: plan some before the move", (rooms,)),
    )
    lines = [f"# {turn.inputs['question']}", "", f"One floor {verdict}.", ""]
    lines += [f"* {text} [{', '.join(map(_cite, sources))}]" for text, sources in points]
    cited = [_cite(source) for _, sources in points for source in sources]
    return {"brief": "\n".join(lines) + "\n", "cited": cited}


def check(turn):
    """Look every quote and every citation up in the sources themselves."""
    folder = Path(turn.inputs["folder"])
    texts = {path.name: path.read_text("utf-8").splitlines() for path in folder.glob("*.md")}
    claims = [claim for found in turn.inputs["claims"] for claim in found]
    wrong = [
        _cite(claim)
        for claim in claims
        if texts[claim["source"]][claim["line"] - 1] != claim["quote"]
    ]
    known = {_cite(claim) for claim in claims}
    unfounded = [cite for cite in turn.inputs["cited"] if cite not in known]
    return {"checked": len(claims), "misquoted": wrong, "unfounded": unfounded}


def _claim(claims, words):
    found = [claim for claim in claims if words in claim["quote"]]
    if len(found) != 1:
        raise ValueError(f"{len(found)} claims say {words!r}; the brief needs exactly one")
    return found[0]


def _cite(claim):
    return f"{claim['source']}:{claim['line']}"
