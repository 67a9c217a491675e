"""The shelf of handlers: how a turn becomes a call."""
