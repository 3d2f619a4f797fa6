"""The worker process of a DataLoader.

It takes (number, indices) from its queue and sends (number, batch) up its pipe. A pipe of its own, without a
lock, means that a worker can be killed at any moment and neither the others nor the main process hang."""

import os
import queue
import random
import signal
import sys

import torch
from torch._utils import ExceptionWrapper
from torch.utils.data import _messages, _worker_info

STOP, END = "stop", "end"  # no more work; this worker's stream has ended
_PARENT_CHECK_SECONDS = 2.0


class Resume:
    """Begin a new epoch with this seed, which concerns pipes."""

    def __init__(self, seed):
        self.seed = seed


def _seed(seed, base_seed, worker_id):
    random.seed(seed)
    torch.manual_seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        entropy = numpy.random.SeedSequence([worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0])
        numpy.random.seed(entropy.generate_state(4))


def run(make_fetcher, dataset, tasks, results, base_seed, init_fn, worker_id, num_workers):
    """Main function of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the main process handles Ctrl-C and ends its workers
    parent = os.getppid()
    torch.set_num_threads(1)
    _seed(base_seed + worker_id, base_seed, worker_id)
    _worker_info.set_worker_info(
        _worker_info.WorkerInfo(id=worker_id, num_workers=num_workers, seed=base_seed + worker_id, dataset=dataset)
    )
    where = f"in DataLoader worker process {worker_id}"
    trouble, fetcher = None, None
    try:
        if init_fn is not None:
            init_fn(worker_id)
        fetcher = make_fetcher(dataset)
    except Exception:
        trouble = ExceptionWrapper(where=where)
    ended = False
    while True:
        try:
            task = tasks.get(timeout=_PARENT_CHECK_SECONDS)
        except queue.Empty:
            if os.getppid() != parent:
                return
            continue
        if task is None:
            return
        if isinstance(task, Resume):
            ended = False
            try:
                fetcher = make_fetcher(dataset, shared_seed=task.seed)
            except Exception:
                trouble = ExceptionWrapper(where=where)
            continue
        if ended:
            continue
        number, index = task
        if trouble is not None:
            answer, trouble = trouble, None
        else:
            try:
                answer = fetcher.fetch(index)
            except StopIteration:
                answer, ended = _Ended(), True
            except Exception:
                answer = ExceptionWrapper(where=where)
        try:
            _send(results, number, answer, where)
        except (BrokenPipeError, ConnectionError):
            return


class _Ended:
    """This worker's stream has no more samples."""


def _send(results, number, answer, where):
    try:
        _messages.send(results, (number, answer))
    except (BrokenPipeError, ConnectionError):
        raise
    except Exception:
        _messages.send(results, (number, ExceptionWrapper(where=where)))
