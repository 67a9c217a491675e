"""The simulated engine: runs in a world whose time, order and accidents come from a seed."""
