"""The one exception for an environment that forge cannot work in."""


class ForgeError(Exception):
    """An unusable environment or usage: one sentence for the user, exit code 2.

    The text names the thing, the place, the values and the next step; it is printed as it is.
    """
