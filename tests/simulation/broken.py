"""What a simulated run that breaks a promise is told by."""


class BrokenError(AssertionError):
    """A promise that does not hold: its name (G1 to G11) and what shows it."""

    def __init__(self, promise: str, sentence: str) -> None:
        super().__init__(f"{promise}: {sentence}")
        self.promise = promise


def hold(promise: str, condition: bool, sentence: str) -> None:
    """Raise `BrokenError` unless the condition is true."""
    if not condition:
        raise BrokenError(promise, sentence)
