"""What torchrun and agents say of a job as it goes on: events, which go to a handler of the module logging."""

from __future__ import annotations

import inspect
import logging
import os
import socket
import traceback

from torch.distributed.elastic.events.api import Event, EventMetadataValue, EventSource, NodeState, RdzvEvent
from torch.distributed.elastic.events.handlers import get_logging_handler

__all__ = [
    "Event", "EventMetadataValue", "EventSource", "NodeState", "RdzvEvent", "construct_and_record_rdzv_event",
    "get_logging_handler", "record", "record_rdzv_event",
]  # fmt: skip

_loggers: dict[str, logging.Logger] = {}


def _logger(destination: str) -> logging.Logger:
    if destination not in _loggers:
        handler = get_logging_handler(destination)
        logger = logging.getLogger(f"torchelastic-events-{destination}")
        logger.setLevel(os.environ.get("LOGLEVEL", "INFO"))
        logger.propagate = False  # the handler of the destination alone gets them
        logger.addHandler(handler)
        _loggers[destination] = logger
    return _loggers[destination]


def record(event: Event, destination: str = "null") -> None:
    """Gives an event to a handler.

    Args:
        event (Event): the event
        destination (str, default "null"): the name of the handler: "null", "console", or one of `handlers`

    Raises:
        KeyError: there is no such handler

    Example:
        >>> from torch.distributed.elastic.events import Event, EventSource, record
        >>> record(Event("started", EventSource.AGENT))
    """
    _logger(destination).info(event.serialize())


def record_rdzv_event(event: RdzvEvent) -> None:
    """Gives an event of a rendezvous to the handler "dynamic_rendezvous".

    Args:
        event (RdzvEvent): the event
    """
    _logger("dynamic_rendezvous").info(event.serialize())


def construct_and_record_rdzv_event(
    run_id: str, message: str, node_state: NodeState, name: str = "", hostname: str = "", pid: int | None = None,
    master_endpoint: str = "", local_id: int | None = None, rank: int | None = None,
) -> None:  # fmt: skip
    """Makes an event of a rendezvous and records it; nothing happens if nobody listens.

    Args:
        run_id (str): the name of the job
        message (str): what happened
        node_state (NodeState): the state of this machine
        name (str, optional): the name of the event; the caller's file and function by default
        hostname (str, optional): the machine; this one by default
        pid (int, optional): the process; this one by default
        master_endpoint (str, optional): where the workers meet
        local_id (int, optional): the number of the handler in its process
        rank (int, optional): the rank of the machine
    """
    if isinstance(get_logging_handler("dynamic_rendezvous"), logging.NullHandler):
        return
    if not name:
        caller = inspect.stack()[1]
        name = f"{os.path.splitext(os.path.basename(caller.filename))[0]}.{caller.function}"
    trace = traceback.format_exc() if node_state is NodeState.FAILED else ""
    pid = os.getpid() if pid is None else pid
    hostname = hostname or socket.getfqdn()
    record_rdzv_event(RdzvEvent(name, run_id, message, hostname, pid, node_state, master_endpoint, rank, local_id, trace))
