"""Python's multiprocessing, with tensors that travel between processes."""

import multiprocessing as _python
from multiprocessing import *  # noqa: F401,F403

from torch.multiprocessing.reductions import init_reductions

__all__ = _python.__all__
init_reductions()


def get_all_sharing_strategies():
    return {"file_system"}


def get_sharing_strategy():
    return "file_system"


def set_sharing_strategy(new_strategy):
    """Only "file_system" is known; "file_descriptor" is taken for it."""
    if new_strategy not in ("file_system", "file_descriptor"):
        raise ValueError(f"unknown sharing strategy {new_strategy!r}")


def __getattr__(name):
    return getattr(_python, name)


class ProcessRaisedException(Exception):
    """A function that `spawn` ran has failed."""


class ProcessExitedException(Exception):
    """A process that `spawn` started has ended by itself."""


def _run(function, number, args, errors):
    from torch._utils import ExceptionWrapper

    try:
        function(number, *args)
    except Exception:
        errors.put((number, ExceptionWrapper(where=f"in process {number}").exc_msg))
        raise SystemExit(1) from None


def spawn(fn, args=(), nprocs=1, join=True, daemon=False, start_method="spawn"):
    """Run `fn(number, *args)` in new processes; with `join`, wait for all and raise what one of them
    raised."""
    context = _python.get_context(start_method)
    errors = context.SimpleQueue()
    processes = [context.Process(target=_run, args=(fn, number, args, errors),
                                 daemon=daemon) for number in range(nprocs)]
    for process in processes:
        process.start()
    if not join:
        return processes
    try:
        for number, process in enumerate(processes):
            process.join()
            if process.exitcode:
                if not errors.empty():
                    number, text = errors.get()
                    raise ProcessRaisedException(f"\n\n-- Process {number} terminated with the following "
                                                 f"error:\n{text}")
                raise ProcessExitedException(f"process {number} terminated with exit code {process.exitcode}")
    finally:
        for process in processes:
            if process.is_alive():
                process.terminate()
    return None
