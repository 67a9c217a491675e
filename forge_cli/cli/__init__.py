"""The command line: parse, call one use case, render, exit."""
