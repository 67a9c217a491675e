"""The cart page, as a browser gets it."""

import unittest

from cart import Line
from page import render


class CartPage(unittest.TestCase):
    def test_shows_each_line_with_its_total(self) -> None:
        page = render([Line("Tea pot", 2450, 2)])
        self.assertIn("<td>Tea pot</td><td>2</td><td>49.00 €</td>", page)

    def test_shows_the_total_of_all_lines(self) -> None:
        page = render([Line("Tea pot", 2450), Line("Cup", 805, 2)])
        self.assertIn('<p class="total">Total 40.60 €</p>', page)

    def test_an_empty_cart_costs_nothing(self) -> None:
        self.assertIn("Total 0.00 €", render([]))

    def test_names_of_articles_cannot_carry_markup(self) -> None:
        self.assertIn("&lt;b&gt;Cup&lt;/b&gt;", render([Line("<b>Cup</b>", 805)]))


if __name__ == "__main__":
    unittest.main()
