"""Information about the current worker process."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    pass

_current = None


class WorkerInfo:
    """id, num_workers, seed and dataset of a worker; they cannot be changed."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __setattr__(self, name, value):
        raise RuntimeError("Cannot assign attributes to WorkerInfo objects")

    def __repr__(self):
        return "WorkerInfo(" + ", ".join(f"{name}={value}" for name, value in self.__dict__.items()) + ")"


def get_worker_info() -> WorkerInfo | None:
    """What this process knows of itself as a worker.

    Returns:
        its id, num_workers, seed and dataset; None outside of a worker

    Example:
        >>> torch.utils.data.get_worker_info() is None
        True
    """
    return _current


def set_worker_info(info: WorkerInfo | None) -> None:
    global _current
    _current = info
