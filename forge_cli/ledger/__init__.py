"""The event store: one SQLite file for each run."""
