"""Handler kinds that installed distributions add (entry points of `forge.handlers`)."""


def is_installed(kind: str) -> bool:
    """Whether a plug-in of that name is installed; nothing of it is imported."""
    from importlib.metadata import entry_points

    return bool(entry_points(group="forge.handlers", name=kind))
