"""Nothing is found in sound manifests, by forge and by others with forge's JSON Schema."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from forge_cli.app.schema import schema
from forge_cli.manifest.reading.source import parse
from tests.corpus.language import all_keys, uses
from tests.corpus.sound import Sound, corpus

CORPUS = corpus()
EACH = pytest.mark.parametrize("sound", CORPUS, ids=lambda sound: sound.name)


@pytest.fixture(scope="module")
def published() -> Any:
    """The published JSON Schema, ready to judge."""
    return Draft202012Validator(json.loads(schema()))


def test_the_corpus_is_large() -> None:
    assert len(CORPUS) > 120


def test_every_key_of_the_language_is_used() -> None:
    used = {use[:2] for sound in CORPUS for use in uses(parse(sound.text.encode()).data)}
    assert all_keys() - used == set()


@EACH
def test_nothing_is_found(sound: Sound) -> None:
    assert [(f.rule, f.message) for f in sound.findings(sound.text)] == []


@EACH
def test_the_published_schema_takes_it(sound: Sound, published: Any) -> None:
    data = parse(sound.text.encode()).data
    assert [error.message for error in published.iter_errors(data)] == []
