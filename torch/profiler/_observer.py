"""Execution traces, which this build does not write."""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class _ITraceObserver(ABC):
    """What a profile starts and stops along with itself."""

    @abstractmethod
    def start(self):
        pass

    @abstractmethod
    def stop(self):
        pass

    @abstractmethod
    def cleanup(self):
        pass


class ExecutionTraceObserver(_ITraceObserver):
    """Writes operators with their tensors' identities, for replay: not there.

    `torch.profiler.profile(record_shapes=True).export_chrome_trace()` has operators with shapes, types and values.

    Example:
        >>> torch.profiler.ExecutionTraceObserver().register_callback("trace.json")
        Traceback (most recent call last):
        NotImplementedError: ExecutionTraceObserver is not there
    """

    def __init__(self) -> None:
        self._registered = False

    @staticmethod
    def build_execution_trace_obs_from_env() -> ExecutionTraceObserver | None:
        """None: no variable of the environment asks for one here."""
        return None

    @property
    def is_registered(self) -> bool:
        """Whether a file is named: never."""
        return self._registered

    def is_running(self) -> bool:
        """Whether operators are written: never."""
        return False

    def register_callback(self, output_file_path: str) -> Any:
        """Names the file; refused.

        Args:
            output_file_path (str): the file

        Raises:
            NotImplementedError: always
        """
        raise NotImplementedError(
            "ExecutionTraceObserver is not there; profile(record_shapes=True).export_chrome_trace() writes operators with shapes"
        )

    def unregister_callback(self) -> None:
        """Forgets the file."""
        pass

    def get_output_file_path(self) -> str | None:
        """The file: None."""
        return None

    def start(self) -> None:
        """Begins to write; refused.

        Raises:
            NotImplementedError: always
        """
        raise NotImplementedError("ExecutionTraceObserver.start is not there")

    def stop(self) -> None:
        """Ends to write."""
        pass

    def cleanup(self) -> None:
        """Forgets the file."""
        self.unregister_callback()
