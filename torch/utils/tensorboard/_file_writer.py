"""Event files: one folder, events that wait in a queue, and a thread of tensorboard that writes them."""

from __future__ import annotations

import os
import time
from typing import Any

from tensorboard.compat.proto import event_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter


class FileWriter:
    """Appends events to a file in a folder. SummaryWriter makes the events.

    Args:
        log_dir (str or Path): the folder; made if it is not there
        max_queue (int): how many events may wait before a write blocks
        flush_secs (float): seconds between writes to the disk
        filename_suffix (str): the end of the file's name

    Example:
        >>> from torch.utils.tensorboard import FileWriter  # doctest: +SKIP
        >>> writer = FileWriter("runs/mine")  # doctest: +SKIP
    """

    def __init__(
        self, log_dir: str | os.PathLike[str], max_queue: int = 10, flush_secs: float = 120, filename_suffix: str = ""
    ) -> None:
        self._settings = str(log_dir), max_queue, flush_secs, filename_suffix
        self.event_writer = EventFileWriter(*self._settings)

    def get_logdir(self) -> str:
        """The folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Append an event.

        Args:
            event (Event): of tensorboard's protocol
            step (int): the step of the training that it belongs to
            walltime (float): seconds since 1970; default: now
        """
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Append a summary.

        Args:
            summary (Summary): of tensorboard's protocol
            global_step (int): the step of the training that it belongs to
            walltime (float): seconds since 1970; default: now
        """
        self.add_event(event_pb2.Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile: tuple[Any, Any], walltime: float | None = None) -> None:
        """Append a graph.

        Args:
            graph_profile (tuple): the graph, and the metadata of a run
            walltime (float): seconds since 1970; default: now
        """
        graph, metadata = graph_profile
        self.add_event(event_pb2.Event(graph_def=graph.SerializeToString()), None, walltime)
        run = event_pb2.TaggedRunMetadata(tag="step1", run_metadata=metadata.SerializeToString())
        self.add_event(event_pb2.Event(tagged_run_metadata=run), None, walltime)

    def add_onnx_graph(self, graph: Any, walltime: float | None = None) -> None:
        """Append a graph that was read from ONNX.

        Args:
            graph (GraphDef): of tensorboard's protocol
            walltime (float): seconds since 1970; default: now
        """
        self.add_event(event_pb2.Event(graph_def=graph.SerializeToString()), None, walltime)

    def flush(self) -> None:
        """Write what waits."""
        self.event_writer.flush()

    def close(self) -> None:
        """Write what waits and close the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Go on in a new file of the same folder, after `close`."""
        self.event_writer = EventFileWriter(*self._settings)
