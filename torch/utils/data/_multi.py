"""The iterator of a DataLoader with worker processes."""

import itertools
import multiprocessing
import multiprocessing.connection
import os
import signal
import weakref

from torch import _C
from torch._logging import _switches
from torch._utils import ExceptionWrapper
from torch.utils.data import _messages, _worker
from torch.utils.data.dataloader import _BaseDataLoaderIter

_JOIN_SECONDS = 5.0


class _Workers:
    """The processes of one loader, with a queue to and a pipe from each."""

    def __init__(self, loader, make_fetcher, base_seed):
        context = loader.multiprocessing_context or multiprocessing.get_context()
        if isinstance(context, str):
            context = multiprocessing.get_context(context)
        self.processes, self.queues, self.pipes = [], [], []
        self.finish = weakref.finalize(self, _end, os.getpid(), self.processes, self.queues, self.pipes)
        for number in range(loader.num_workers):
            tasks = context.Queue()
            tasks.cancel_join_thread()
            mine, theirs = context.Pipe()  # a socket, which can carry descriptors
            process = context.Process(
                target=_worker.run,
                daemon=True,
                args=(make_fetcher, loader.dataset, tasks, theirs, base_seed, loader.worker_init_fn, number, loader.num_workers),
            )
            process.start()
            theirs.close()  # so that no other worker holds it open: a dead worker's pipe then ends at once
            self.processes.append(process)
            self.queues.append(tasks)
            self.pipes.append(mine)
            if _switches.dataloader:
                _switches.dataloader("worker %d of %d started, pid %d", number, loader.num_workers, process.pid)

    def receive(self, which, timeout):
        """The next message of one of the workers in `which`: (worker, number, answer)."""
        ends = {self.pipes[k]: k for k in which}
        deaths = {self.processes[k].sentinel: k for k in which}
        ready = multiprocessing.connection.wait([*ends, *deaths], timeout or None)
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {timeout} seconds")
        for end, k in ends.items():
            if end.poll():  # messages that a worker sent before it died are still used
                try:
                    return (k, *_messages.receive(end))
                except (EOFError, ConnectionResetError):
                    self._report(k)
        self._report(next(deaths[item] for item in ready if item in deaths))

    def _report(self, k):
        process = self.processes[k]
        process.join(_JOIN_SECONDS)
        code = process.exitcode
        how = ""
        if code is not None and code < 0:
            how = f": killed by signal: {signal.strsignal(-code)}"
        elif code is not None:
            how = f" with exit code {code}"
        raise RuntimeError(f"DataLoader worker (pid(s) {process.pid}) exited unexpectedly{how}")


def _end(owner, processes, queues, pipes):
    """Ask the workers to exit; terminate those that do not."""
    if os.getpid() != owner:
        return  # a forked child's copy of the loader: the workers are not its children
    if _switches.dataloader:
        _switches.dataloader("workers end, pids %s", [process.pid for process in processes])
    for pipe in pipes:
        pipe.close()
    for tasks in queues:
        try:
            tasks.put(None)
        except (ValueError, OSError):
            pass
    for process in processes:
        process.join(0.2 if process.is_alive() else 0)
        if process.is_alive():
            process.terminate()
    for process in processes:
        process.join(_JOIN_SECONDS)
        if process.is_alive():
            process.kill()
            process.join(_JOIN_SECONDS)
    for tasks in queues:
        tasks.close()


class MultiProcessIterator(_BaseDataLoaderIter):
    """Batches from workers, in the order of the sampler unless in_order is False."""

    def __init__(self, loader, index_sampler, make_fetcher, base_seed):
        self.loader, self.make_fetcher = loader, make_fetcher
        self.index_sampler, self.yielded = index_sampler, 0
        self.workers = _Workers(loader, make_fetcher, base_seed)
        self._start()

    def reset(self, seed):
        """A new epoch with the same workers."""
        self._drain()
        for tasks in self.workers.queues:
            tasks.put(_worker.Resume(seed))
        self._start()

    def _start(self):
        count = self.loader.num_workers
        self.indices = iter(self.index_sampler)
        self.owner, self.arrived = {}, {}  # worker of every pending number; batches that arrived early
        self.next_sent, self.next_returned, self.yielded = 0, 0, 0
        self.active = [True] * count
        self.turn = itertools.cycle(range(count))
        for _ in range((self.loader.prefetch_factor or 2) * count):
            self._dispatch()

    def _drain(self):
        """Receive what is still pending of an epoch that was left early."""
        while self.owner:
            self._take(list(set(self.owner.values())), keep=False)

    def _dispatch(self):
        for _ in self.active:
            k = next(self.turn)
            if self.active[k]:
                break
        else:
            return
        try:
            index = next(self.indices)
        except StopIteration:
            return
        self.owner[self.next_sent] = k
        self.workers.queues[k].put((self.next_sent, index))
        if _switches.dataloader:
            _switches.dataloader("batch %d asked of worker %d: indices %s", self.next_sent, k, index)
        self.next_sent += 1

    def _take(self, which, keep=True):
        k, number, answer = self.workers.receive(which, self.loader.timeout)
        if _switches.dataloader:
            _switches.dataloader("batch %d arrived from worker %d: %s", number, k, type(answer).__name__)
        if isinstance(answer, _worker._Ended):
            self.active[k] = False
            for sent in [sent for sent, owner in self.owner.items() if owner == k]:
                del self.owner[sent]
            if keep:
                self._dispatch()
            return
        self.owner.pop(number, None)
        if keep:
            self.arrived[number] = answer

    def _shutdown_workers(self):
        """PyTorch's name of `close`, which packages call."""
        self.close()

    def __next__(self):
        range_of_profile = _C._profiler_begin_range("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__")
        try:
            return self._next()
        except StopIteration:
            if not self.loader.persistent_workers:
                self.close()
            raise
        except RuntimeError:
            self.close() if any(not process.is_alive() for process in self.workers.processes) else None
            raise
        finally:
            _C._profiler_end_range(range_of_profile)

    def _next(self):
        while True:
            if self.loader.in_order:
                while (
                    self.next_returned < self.next_sent
                    and self.next_returned not in self.owner
                    and (self.next_returned not in self.arrived)
                ):
                    self.next_returned += 1  # it was assigned to a worker whose stream has ended
                number, which = self.next_returned, None
                if number in self.owner:
                    which = [self.owner[number]]
            else:
                number = next(iter(self.arrived), None)
                which = list(set(self.owner.values())) if number is None else None
            if number in self.arrived:
                answer = self.arrived.pop(number)
                if self.loader.in_order:
                    self.next_returned += 1
                self._dispatch()
                if isinstance(answer, ExceptionWrapper):
                    answer.reraise()
                self.yielded += 1
                return self.loader._placed(answer)
            if not which:
                raise StopIteration
            self._take(which)

    next = __next__

    def __len__(self):
        return len(self.index_sampler)

    def close(self):
        """End the workers."""
        self.workers.finish()
