"""What the docs point at is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_to_a_file_leads_to_one(page: Path) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)[^)]*\)", page.read_text("utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    assert [
        page.name
        for page in PAGES
        if page.parent.name == "docs" and f"docs/{page.name}" not in readme
    ] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_make_target_that_is_named_exists(page: Path) -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"(?:`|    )make ([a-z]+)", page.read_text("utf-8"))
    assert set(named) <= set(targets)


def test_every_file_that_a_page_names_by_its_path_is_there() -> None:
    named = {
        (page.name, path)
        for page in PAGES
        for path in re.findall(r"`((?:forge_cli|tests|docs)/[\w./]+)`", page.read_text("utf-8"))
    }
    assert len(named) > 20
    assert sorted(pair for pair in named if not (ROOT / pair[1]).exists()) == []


def test_every_name_in_a_table_that_contributing_points_at_is_in_that_file() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    pairs = re.findall(r"`(\w+)` (?:of|in) *\n? *`([\w./]+\.py)`", text)
    assert len(pairs) > 8
    assert [p for p in pairs if not re.search(rf"\b{p[0]}\b", (ROOT / p[1]).read_text())] == []
