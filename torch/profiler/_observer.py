"""Execution traces, which this build does not write."""

from __future__ import annotations

from abc import ABC, abstractmethod


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
    """Writes operators with their tensors' identities, for replay: not there. register_callback raises NotImplementedError;
    torch.profiler.profile(record_shapes=True).export_chrome_trace() has operators with shapes, types and values."""

    def __init__(self) -> None:
        self._registered = False

    @staticmethod
    def build_execution_trace_obs_from_env() -> ExecutionTraceObserver | None:
        """None: no variable of the environment asks for one here."""
        return None

    @property
    def is_registered(self):
        return self._registered

    def is_running(self):
        return False

    def register_callback(self, output_file_path: str):
        raise NotImplementedError(
            "ExecutionTraceObserver is not there; profile(record_shapes=True).export_chrome_trace() writes operators with shapes"
        )

    def unregister_callback(self) -> None:
        pass

    def get_output_file_path(self) -> str | None:
        return None

    def start(self) -> None:
        raise NotImplementedError("ExecutionTraceObserver.start is not there")

    def stop(self) -> None:
        pass

    def cleanup(self) -> None:
        self.unregister_callback()
