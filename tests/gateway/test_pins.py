"""A server's tools stay as they were described at first."""

from collections.abc import Mapping

from forge_cli.gateway.pins import Pins


def test_a_tool_is_as_it_was_at_first_or_not_at_all() -> None:
    pins = Pins()
    assert pins.hold("server", {"look": "sha256:1"}) == {"look"}
    assert pins.hold("server", {"look": "sha256:1"}) == {"look"}
    assert pins.hold("server", {"look": "sha256:2"}) == frozenset()
    assert pins.hold("server", {"look": "sha256:1"}) == {"look"}


def test_each_tool_of_each_server_has_its_own() -> None:
    pins = Pins()
    assert pins.hold("server", {"look": "sha256:1", "change": "sha256:2"}) == {"look", "change"}
    assert pins.hold("other", {"look": "sha256:3"}) == {"look"}
    assert pins.hold("server", {"look": "sha256:1", "change": "sha256:4"}) == {"look"}


def test_they_are_kept_whenever_there_are_more_and_hold_for_who_goes_on() -> None:
    kept: list[Mapping[str, str]] = []
    pins = Pins(keep=lambda digests: kept.append(dict(digests)))
    pins.hold("server", {"look": "sha256:1"})
    pins.hold("server", {"look": "sha256:2"})
    pins.hold("server", {"look": "sha256:1", "change": "sha256:3"})
    assert [len(each) for each in kept] == [1, 2]
    assert Pins(kept[-1]).hold("server", {"look": "sha256:2", "change": "sha256:3"}) == {"change"}
