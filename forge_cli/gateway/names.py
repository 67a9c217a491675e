"""What names of hosts stand for: this machine and its metadata service hide behind any name."""

import ipaddress
import socket

SERVICES = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "192.0.0.192", "fd00:ec2::254")))
"""Where clouds hand out credentials to whoever asks, beside 169.254.169.254 and its like."""

HERE = ("localhost", ".localhost")
"""Names that say that they stand for this machine (RFC 6761, 6.3)."""


def disguised(host: str) -> str:
    """The address of this machine or of a metadata service for which the name stands, or nothing.

    An address that is written as such says what it is, and so does `localhost`. A name that stands
    for nothing now is no business of this look: whoever opens it finds that out. Blocks as long as
    the system needs to look the name up.
    """
    if host == HERE[0] or host.endswith(HERE[1]):
        return ""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return next(filter(_is_hidden, _addresses(host)), "")
    return ""


def _addresses(host: str) -> list[str]:
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(where[0]).partition("%")[0] for *_, where in found]


def _is_hidden(address: str) -> bool:
    found = ipaddress.ip_address(address)
    found = getattr(found, "ipv4_mapped", None) or found
    near = found.is_loopback or found.is_link_local or found.is_unspecified
    return near or found in SERVICES
