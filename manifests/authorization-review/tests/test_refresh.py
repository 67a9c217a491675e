"""What holds before and after the change."""

import unittest

from security.refresh import MAX_AGE, Refresher, Refused


class Refresh(unittest.TestCase):
    def test_a_fresh_token_gives_the_next_one(self):
        refresher = Refresher(lambda: 0)
        first = refresher.issue()
        self.assertNotEqual(first, refresher.redeem(first))

    def test_an_old_token_is_refused(self):
        now = [0]
        refresher = Refresher(lambda: now[0])
        token = refresher.issue()
        now[0] = MAX_AGE + 1
        with self.assertRaises(Refused):
            refresher.redeem(token)

    def test_an_unknown_token_is_refused(self):
        with self.assertRaises(Refused):
            Refresher(lambda: 0).redeem("made up")


if __name__ == "__main__":
    unittest.main()
