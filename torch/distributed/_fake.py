"""A backend that sends nothing: collectives end at once, for programs that play one rank of many."""

from __future__ import annotations

import datetime
from typing import Any

from torch._C._distributed_c10d import Work


class _Done(Work):
    def __init__(self, result: Any) -> None:
        super().__init__()
        self._result = result

    def is_completed(self) -> bool:
        return True

    def is_success(self) -> bool:
        return True

    def exception(self) -> None:
        return None

    def wait(self, timeout: datetime.timedelta | None = None) -> bool:
        return True

    synchronize = wait

    def result(self) -> Any:
        return self._result

    def get_future(self) -> Any:
        from torch.futures import Future

        future: Any = Future()
        future.set_result(self._result)
        return future


class FakeProcessGroup:
    """The backend "fake". Outputs that gather tensors get those of this rank for every rank."""

    def __init__(self, rank: int, size: int) -> None:
        self._rank, self._size = rank, size

    def rank(self) -> int:
        return self._rank

    def size(self) -> int:
        return self._size

    def name(self) -> str:
        return "fake"

    def _same(self, tensors: Any, opts: Any = None) -> Work:
        return _Done(tensors)

    broadcast = allreduce = allreduce_coalesced = reduce = _same

    def allgather(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        for tensor in outputs[0]:
            tensor.copy_(inputs[0])
        return _Done(outputs[0])

    def allgather_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        for tensors in outputs:
            for tensor, own in zip(tensors, inputs):
                tensor.copy_(own)
        return _Done(outputs)

    def _allgather_base(self, output: Any, input: Any, opts: Any = None) -> Work:
        output.view(self._size, -1).copy_(input.reshape(1, -1))
        return _Done([output])

    def allgather_into_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        for output, own in zip(outputs, inputs):
            self._allgather_base(output, own)
        return _Done(outputs)

    def gather(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        return self.allgather(outputs, inputs) if outputs else _Done([])

    def scatter(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        if inputs:
            outputs[0].copy_(inputs[0][self._rank])
        return _Done(outputs)

    reduce_scatter = scatter

    def _reduce_scatter_base(self, output: Any, input: Any, opts: Any = None) -> Work:
        output.copy_(input.reshape(self._size, *output.shape)[self._rank])
        return _Done([output])

    def reduce_scatter_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        for output, own in zip(outputs, inputs):
            self._reduce_scatter_base(output, own)
        return _Done(outputs)

    def alltoall(self, outputs: Any, inputs: Any, opts: Any = None) -> Work:
        for output, own in zip(outputs, inputs):
            if output.shape == own.shape:
                output.copy_(own)
        return _Done(outputs)

    def alltoall_base(self, output: Any, input: Any, output_splits: Any, input_splits: Any, opts: Any = None) -> Work:
        if output.shape == input.shape:
            output.copy_(input)
        return _Done([output])

    def send(self, tensors: Any, rank: int, tag: int) -> Work:
        return _Done(tensors)

    recv = send

    def recv_anysource(self, tensors: Any, tag: int) -> Work:
        return _Done(tensors)

    def barrier(self, opts: Any = None) -> Work:
        return _Done([])

    def monitored_barrier(self, timeout: Any = None, wait_all_ranks: bool = False) -> None:
        pass

    def _get_sequence_number_for_group(self) -> int:
        return 0

    def _set_default_timeout(self, timeout: datetime.timedelta) -> None:
        pass

    def abort(self) -> None:
        pass

    shutdown = abort
