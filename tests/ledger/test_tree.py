import hashlib

import pytest

from forge_cli.ledger.tree import Tree

LEAVES = [bytes.fromhex(text) for text in (
    "", "00", "10", "2021", "3031", "40414243", "5051525354555657",
    "606162636465666768696a6b6c6d6e6f",
)]  # fmt: skip
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The roots that Certificate Transparency's own tests give for the first n of those leaves."""


def by_definition(leaves: list[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\x00" + leaves[0]).digest()
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    left, right = by_definition(leaves[:half]), by_definition(leaves[half:])
    return hashlib.sha256(b"\x01" + left + right).digest()


@pytest.mark.parametrize("size", range(1, 9))
def test_roots_are_those_of_rfc_6962(size: int) -> None:
    tree = Tree()
    for leaf in LEAVES[:size]:
        tree.add(leaf)
    assert tree.root() == ROOTS[size - 1]


def test_at_every_size_the_root_is_what_the_definition_says() -> None:
    tree, leaves = Tree(), [str(number).encode() for number in range(70)]
    assert tree.root() == by_definition([]).hex()
    for size, leaf in enumerate(leaves, start=1):
        tree.add(leaf)
        assert (tree.size, tree.root()) == (size, by_definition(leaves[:size]).hex())
