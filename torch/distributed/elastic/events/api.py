"""Events of a job, and of a rendezvous; JSON is how they are written."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from enum import Enum

__all__ = ["EventSource", "Event", "NodeState", "RdzvEvent"]

EventMetadataValue = str | int | float | bool | None


class EventSource(str, Enum):
    """Who says it."""

    AGENT = "AGENT"
    WORKER = "WORKER"


class NodeState(str, Enum):
    """The state of a machine in a rendezvous."""

    INIT = "INIT"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"


def _from_json(kind, data, member, values):
    """An event of a kind from its JSON, in which the value of an enumeration is its name; an event stays as it is."""
    if isinstance(data, kind):
        return data
    found = json.loads(data)
    found[member] = values[found[member]]
    return kind(**found)


@dataclass
class Event:
    """Something that happened to a job.

    Args:
        name (str): its name
        source (EventSource): who says it
        timestamp (int, default 0): when, in milliseconds since 1970
        metadata (dict, optional): strings and numbers that belong to it

    Example:
        >>> from torch.distributed.elastic.events import Event, EventSource
        >>> Event.deserialize(str(Event("started", EventSource.AGENT))).name
        'started'
    """

    name: str
    source: EventSource
    timestamp: int = 0
    metadata: dict[str, EventMetadataValue] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.serialize()

    def serialize(self) -> str:
        """The event as JSON."""
        return json.dumps(asdict(self))

    @staticmethod
    def deserialize(data: str | Event) -> Event:
        """The event that JSON describes.

        Args:
            data (str or Event): what `serialize` gave; an event stays as it is
        """
        return _from_json(Event, data, "source", EventSource)


@dataclass
class RdzvEvent:
    """Something that happened in a rendezvous.

    Args:
        name (str): its name
        run_id (str): the name of the job
        message (str): what happened
        hostname (str): the machine
        pid (int): the process
        node_state (NodeState): the state of the machine
        master_endpoint (str, optional): where the workers meet
        rank (int, optional): the rank of the machine
        local_id (int, optional): the number of the handler in its process
        error_trace (str, optional): the traceback of an error
    """

    name: str
    run_id: str
    message: str
    hostname: str
    pid: int
    node_state: NodeState
    master_endpoint: str = ""
    rank: int | None = None
    local_id: int | None = None
    error_trace: str = ""

    def __str__(self) -> str:
        return self.serialize()

    def serialize(self) -> str:
        """The event as JSON."""
        return json.dumps(asdict(self))

    @staticmethod
    def deserialize(data: str | RdzvEvent) -> RdzvEvent:
        """The event that JSON describes.

        Args:
            data (str or RdzvEvent): what `serialize` gave; an event stays as it is
        """
        return _from_json(RdzvEvent, data, "node_state", NodeState)
