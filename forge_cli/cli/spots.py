"""Where a finding is: its file as people write it, and its place."""

from forge_cli.manifest.findings import Place, Spot

_TOP = Place(1, 1, 1, 2)


def place_of(spot: Spot) -> Place:
    """Where a spot is; the file's first character if that is not known."""
    return spot.place or _TOP
