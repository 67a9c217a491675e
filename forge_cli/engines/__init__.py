"""The shelf of engines: shells that drive the run machine and add no policy of their own."""

from collections.abc import Mapping

ENGINES: Mapping[str, str] = {"local": "forge_cli.engines.local"}
"""The module of each engine, imported when a run uses it."""
