"""The shelf of collaboration patterns."""
