"""Refresh tokens: hand one in, get the next one."""

import secrets

MAX_AGE = 86_400
"""Seconds that a refresh token is good for."""


class Refused(Exception):
    """The token is not good (any more)."""


class Refresher:
    """Issues refresh tokens and redeems them; `clock` tells seconds."""

    def __init__(self, clock):
        self._clock = clock
        self._issued = {}

    def issue(self):
        """A new token."""
        token = secrets.token_urlsafe(32)
        self._issued[token] = self._clock()
        return token

    def redeem(self, token):
        """Take a token and hand out the next."""
        since = self._issued.get(token)
        if since is None or self._clock() - since > MAX_AGE:
            raise Refused(token)
        return self.issue()
