"""What lies in the cart and what it costs, in whole cents."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """So many pieces of one article; `price` is for one piece, in cents."""

    article: str
    price: int
    quantity: int = 1

    @property
    def total(self) -> int:
        """Price times quantity, in cents."""
        return self.price * self.quantity


def total(lines: list[Line]) -> int:
    """What all lines cost together, in cents."""
    return sum(line.total for line in lines)
