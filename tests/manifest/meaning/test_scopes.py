"""How much of a manifest's scopes is compared before it is refused as too much."""

import pytest

from forge_cli.manifest.check import check
from forge_cli.manifest.findings import Finding
from forge_cli.manifest.meaning.scopes import MOST_ELEMENTS, begin, of_elements
from forge_cli.manifest.reading.source import parse

TOO_MUCH = "the scopes of this manifest take too long to compare; none is let through unseen"
ROLE = """\
forge: 1
roles:
  r:
    capabilities: [repository-read, repository-write]
    scope: ["files:**/*a*b*/**", "files:x/**/*q*/**"]
    handler: {kind: command, argv: [x]}
work_items:
"""


def checked(items: str, number: int) -> list[Finding]:
    lines = "".join(f"  i{n}: {{{items.format(n=n)}}}\n" for n in range(number))
    return check(parse((ROLE + lines).encode()), "x.yaml")


@pytest.mark.parametrize(
    ("items", "rule"),
    [
        ('role: r, scope: ["files:**/a*b*c*{n}/**"], writes: []', "scope-exceeds-parent"),
        ('role: r, writes: ["files:**/a*b*c*{n}/**"]', "write-conflict"),
        (
            'capabilities: [repository-read], scope: ["files:**/a*b*c*{n}/**"]',
            "scope-exceeds-parent",
        ),
    ],
)
def test_what_would_take_too_long_to_compare_is_refused_and_told_once(
    items: str, rule: str
) -> None:
    found = [each for each in checked(items, 4_000) if each.message == TOO_MUCH]
    assert rule in {each.rule for each in found}
    assert len(found) == len({each.rule for each in found})


def test_a_manifest_has_the_same_answers_whatever_was_checked_before() -> None:
    items = 'role: r, scope: ["files:**/a*b*c*{n}/**"], writes: []'
    before = checked(items, 3_000)
    assert checked(items, 20) == []
    assert checked(items, 3_000) == before


def test_ordinary_scopes_are_all_compared() -> None:
    items = 'role: r, scope: ["files:x/{n}/q/**"], writes: ["files:x/{n}/q/*.py"]'
    assert checked(items, 500) == []


def test_a_thousand_folders_are_told_apart_by_their_names() -> None:
    folders = ", ".join(f"'files:d{n}/*x*/**'" for n in range(1_000))
    lines = "".join(
        f'  i{n}: {{run: [x], capabilities: [read], scope: ["files:d{n}/yx{n}/**"]}}\n'
        for n in range(1_000)
    )
    text = f"forge: 1\nscope: [{folders}]\nwork_items:\n{lines}"
    assert check(parse(text.encode()), "x.yaml") == []


NAMES = [f"n{number}" for number in range(MOST_ELEMENTS)]


@pytest.mark.parametrize(
    ("parents", "child", "for_each", "holds"),
    [
        (["files:src/*"], "files:src/${each}", [*NAMES, "x"], True),
        (["files:src/*"], "files:src/${each}", [*NAMES, "**"], False),
        (["files:src/*"], "files:src/${each}", [*NAMES, "a/b"], False),
        (["files:src/*"], "files:src/${each}", [*NAMES, ".git"], False),
        (["files:src/${each}/**"], "files:src/${each}/a", "${inputs.a}", True),
        (["files:src/${each}*"], "files:src/${each}a", "${inputs.a}", True),
        (["files:src/${each}"], "files:src/${each}", "${inputs.a}", True),
        (["files:src/?${each}"], "files:src/?${each}", "${inputs.a}", True),
        (["files:src/${each}"], "files:src/${each}a", "${inputs.a}", False),
        (["files:src/${each}*"], "files:src/a${each}", "${inputs.a}", False),
        (["files:src/?*/${each}"], "files:src/${each}/${each}", "${inputs.a}", False),
        (["files:src/${each}"], "files:src/a", "${inputs.a}", False),
    ],
)
def test_a_pattern_holds_every_element_or_does_not_hold(
    parents: list[str], child: str, for_each: object, holds: bool
) -> None:
    begin()
    found = list(of_elements(tuple(parents), child, for_each))
    assert all(inclusion.holds for inclusion in found) == holds
