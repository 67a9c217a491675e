"""The one door to processes, files and acceptance."""
