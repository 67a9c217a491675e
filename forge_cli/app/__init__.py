"""The adapters of the outer world to the use cases: one file for each command of the tool."""
