"""Handlers of events by their names. To add one: `_log_handlers["name"] = handler`."""

from __future__ import annotations

import logging

_log_handlers: dict[str, logging.Handler] = {
    "console": logging.StreamHandler(),
    "dynamic_rendezvous": logging.NullHandler(),
    "null": logging.NullHandler(),
}


def get_logging_handler(destination: str = "null") -> logging.Handler:
    """The handler of a name.

    Args:
        destination (str, default "null"): the name

    Returns:
        the handler

    Raises:
        KeyError: there is none
    """
    if destination not in _log_handlers:
        raise KeyError(f"events: there is no handler {destination!r}; there are {', '.join(sorted(_log_handlers))}")
    return _log_handlers[destination]
