"""What a worker process knows of itself."""

_current = None


class WorkerInfo:
    """id, num_workers, seed and dataset of a worker; they cannot be changed."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __setattr__(self, name, value):
        raise RuntimeError("Cannot assign attributes to WorkerInfo objects")

    def __repr__(self):
        return "WorkerInfo(" + ", ".join(f"{name}={value}" for name, value in self.__dict__.items()) + ")"


def get_worker_info():
    """The WorkerInfo of this process, or None outside of a worker."""
    return _current


def set_worker_info(info):
    global _current
    _current = info
