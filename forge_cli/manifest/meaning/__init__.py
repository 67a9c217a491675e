"""What a manifest means: who does what, under which contracts, in which order."""
