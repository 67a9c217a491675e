"""The language: from bytes to a checked, immutable plan."""
