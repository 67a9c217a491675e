"""What tests have a fork of the warden call, by name."""

import atexit
import os
import sys


def show(*words):
    print(words, sys.argv, dict(os.environ), os.getsid(0) == os.getpid())
    atexit.register(print, "and then")


def leave(status):
    sys.exit(int(status) if status.isdecimal() else status or None)


def fail():
    raise ValueError("of all things")
