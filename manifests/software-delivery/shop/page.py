"""The cart page as HTML."""

from html import escape
from pathlib import Path
from string import Template

from cart import Line, total

TEMPLATE = Template((Path(__file__).parent / "templates" / "cart.html").read_text("utf-8"))


def money(cents: int) -> str:
    """Cents as people read them: 1234 is `12.34 €`."""
    return f"{cents // 100}.{cents % 100:02d} €"


def row(line: Line) -> str:
    """One line of the cart as a table row."""
    cells = (escape(line.article), str(line.quantity), money(line.total))
    return "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"


def render(lines: list[Line]) -> str:
    """The whole page for these lines."""
    return TEMPLATE.substitute(
        rows="\n      ".join(row(line) for line in lines),
        total=money(total(lines)),
    )
