"""The pure core: contracts, routing, state and the run machine. Standard library only."""
