"""The handler kind `shout` keeps forge's contract of handlers."""

from forge_cli.testing import HandlerContract, Sample


class TestShout(HandlerContract):
    """Run with pytest where the distribution is installed."""

    kind = "shout"

    def works(self) -> Sample:
        """Two marks."""
        return Sample({"marks": 2}, inputs={"text": "fire"}, output={"result": "FIRE!!"})

    def fails(self) -> Sample:
        """No text."""
        return Sample({})

    def lasts(self) -> Sample:
        """Longer than any test."""
        return Sample({"seconds": 600}, inputs={"text": "fire"})
