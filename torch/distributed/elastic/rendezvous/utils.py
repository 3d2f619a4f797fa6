"""HOST:PORT of a rendezvous."""

from __future__ import annotations

import re

__all__ = ["parse_rendezvous_endpoint"]


def parse_rendezvous_endpoint(endpoint: str | None, default_port: int) -> tuple[str, int]:
    """The host and the port of an endpoint.

    Args:
        endpoint (str, optional): HOST, HOST:PORT or [ADDRESS]:PORT; this machine by default
        default_port (int): the port if it says none

    Returns:
        both

    Raises:
        ValueError: it has another form

    Example:
        >>> from torch.distributed.elastic.rendezvous.utils import parse_rendezvous_endpoint
        >>> parse_rendezvous_endpoint("[::1]:29400", 0)
        ('::1', 29400)
    """
    text = (endpoint or "").strip()
    if not text:
        return "localhost", default_port
    host, colon, port = text, "", ""
    if not text.endswith("]"):
        host, colon, port = text.rpartition(":") if ":" in text else (text, "", "")
    if colon and not (port.isdigit() and int(port) < 2**16):
        raise ValueError(f"rendezvous: expected a port of 0 to 65535 in the endpoint {text!r}, got {port!r}")
    if not re.fullmatch(r"[\w.-]+|\[[0-9a-fA-F:.]+\]|[0-9a-fA-F:]*:[0-9a-fA-F:]*", host):
        raise ValueError(f"rendezvous: expected a name or an address of a host in the endpoint {text!r}, got {host!r}")
    return host.strip("[]"), int(port) if colon else default_port
