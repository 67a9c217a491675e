"""The shelf of engines: shells that drive the run machine."""
