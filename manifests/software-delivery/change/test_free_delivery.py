"""The cart page says what is missing until delivery is free."""

import unittest

from cart import Line
from page import money, render

FREE_FROM = 5000


class FreeDelivery(unittest.TestCase):
    def test_a_cart_below_the_limit_names_what_is_missing(self) -> None:
        page = render([Line("Tea pot", FREE_FROM // 2)])
        rest = money(FREE_FROM - FREE_FROM // 2)
        self.assertIn(f'<p class="delivery">{rest} until delivery is free</p>', page)

    def test_delivery_is_free_at_the_limit_exactly(self) -> None:
        page = render([Line("Tea pot", FREE_FROM)])
        self.assertIn('<p class="delivery">Delivery is free</p>', page)

    def test_one_cent_below_the_limit_is_not_enough(self) -> None:
        page = render([Line("Tea pot", FREE_FROM - 1)])
        self.assertIn("0.01 € until delivery is free", page)

    def test_an_empty_cart_names_the_whole_amount(self) -> None:
        self.assertIn(f"{money(FREE_FROM)} until delivery is free", render([]))


if __name__ == "__main__":
    unittest.main()
