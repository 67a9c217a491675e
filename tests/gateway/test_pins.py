"""A server's tool stays what it was at first."""

from forge_cli.gateway.pins import Pins


def test_the_first_description_holds_from_then_on() -> None:
    pins = Pins()
    assert pins.hold("server", "look", "sha256:1")
    assert pins.hold("server", "look", "sha256:1")
    assert not pins.hold("server", "look", "sha256:2")
    assert pins.hold("server", "look", "sha256:1")


def test_each_server_and_tool_has_its_own() -> None:
    pins = Pins()
    assert pins.hold("server", "look", "sha256:1")
    assert pins.hold("server", "change", "sha256:2")
    assert pins.hold("other", "look", "sha256:3")
