"""What is missing until delivery is free, said below the total."""

FREE_FROM = 5000


def missing(total: int) -> int:
    """Cents that are missing until delivery is free; 0 once it is."""
    return max(0, FREE_FROM - total)


def hint(total: int, money: str) -> str:
    """The sentence for a cart of this total; `money` is the missing amount as people read it."""
    if total >= FREE_FROM:
        return "Delivery is free"
    return f"{money} until delivery is free"
