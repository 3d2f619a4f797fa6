"""ProcessGroup: the collectives of a group of ranks, each done by the backend of its tensors' device.

A backend of a third party may derive from ProcessGroup and override what it has.
"""

from __future__ import annotations

import datetime
import enum
from typing import Any

import torch
from torch._C import _distributed_c10d as _c10d


class BackendType(enum.IntEnum):
    """The kind of a backend."""

    UNDEFINED = 0
    GLOO = 1
    NCCL = 2
    XCCL = 3
    UCC = 4
    MPI = 5
    CUSTOM = 6


def _options(kind: Any, given: Any, timeout: datetime.timedelta | None, **fields: Any) -> Any:
    if isinstance(given, kind):
        return given
    options = kind()
    options.timeout = timeout
    for name, value in fields.items():
        setattr(options, name, value)
    return options


def _first(tensors: Any) -> torch.Tensor:
    while not isinstance(tensors, torch.Tensor):
        tensors = tensors[0]
    return tensors


class ProcessGroup:
    """A group of ranks. `torch.distributed.group.WORLD` has all of them; `new_group` makes others.

    Its methods start a collective and return a Work. The functions of torch.distributed are the ordinary way to call them.

    Args:
        store (Store, optional): where the ranks find each other
        rank (int): the rank of this process
        size (int): how many ranks there are

    Example:
        >>> torch.distributed.ProcessGroup(0, 1).size()
        1
    """

    BackendType = BackendType
    UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, CUSTOM = BackendType
    group_name = "undefined"
    group_desc = "undefined"
    bound_device_id = None

    def __init__(self, *args: Any) -> None:
        if len(args) not in (2, 3):
            raise TypeError(f"ProcessGroup(): expected (rank, size) or (store, rank, size), got {len(args)} arguments")
        self._store = args[0] if len(args) == 3 else None
        self._rank, self._size = args[-2:]
        self._backends: dict[str, Any] = {}
        self._name = "undefined"

    # --- what it is ---

    def rank(self) -> int:
        """The rank of this process in the group.

        Returns:
            the rank
        """
        return self._rank

    def size(self) -> int:
        """How many ranks the group has.

        Returns:
            the number
        """
        return self._size

    def name(self) -> str:
        """The name of the backend.

        Returns:
            the name
        """
        return self._name

    def getBackendName(self) -> str:  # noqa: N802  (PyTorch's name, for those that derive)
        """The name of the backend, for classes that derive from this one.

        Returns:
            the name
        """
        return self._name

    def _get_backend_name(self) -> str:
        return self.name()

    def _set_group_name(self, name: str) -> None:
        self.group_name = name

    def _set_group_desc(self, text: str) -> None:
        self.group_desc = text

    def get_group_store(self) -> Any:
        """Where the ranks find each other.

        Returns:
            the store
        """
        return self._store

    @property
    def _device_types(self) -> list[torch.device]:
        return [torch.device(name) for name in self._backends]

    def _register_backend(self, device: torch.device, backend_type: BackendType, backend: Any = None) -> None:
        self._backends[torch.device(device).type] = backend
        self._name = backend.name() if backend is not None else self._name

    def _get_backend(self, device: torch.device) -> Any:
        backend = self._backends.get(torch.device(device).type)
        if backend is None:
            raise RuntimeError(
                f"the process group {self.group_name!r} has no backend for tensors on {torch.device(device).type!r}; "
                f"it has them for {sorted(self._backends) or 'no device'}"
            )
        return backend

    def _backend_of(self, tensors: Any) -> Any:
        return self._get_backend(_first(tensors).device)

    def _any_backend(self, name: str) -> Any:
        backend = next(iter(self._backends.values()), None)
        if backend is None:
            raise RuntimeError(f"the process group {self.group_name!r} has no backend that does {name}")
        return backend

    # --- collectives ---

    def allreduce(self, tensors: Any, opts: Any = None, timeout: datetime.timedelta | None = None) -> Any:
        """Combines the tensors of all ranks.

        Args:
            tensors (Tensor or list): the tensor
            opts (AllreduceOptions or ReduceOp, optional): how
            timeout (timedelta, optional): how long

        Returns:
            a Work
        """
        op = _c10d.ReduceOp.SUM if opts is None else opts
        tensors = [tensors] if isinstance(tensors, torch.Tensor) else tensors
        return self._backend_of(tensors).allreduce(tensors, _options(_c10d.AllreduceOptions, opts, timeout, reduceOp=op))

    def allreduce_coalesced(self, tensors: list[torch.Tensor], opts: Any = None) -> Any:
        """Combines several tensors at once.

        Args:
            tensors (list of Tensor): the tensors, of one dtype
            opts (AllreduceCoalescedOptions, optional): how

        Returns:
            a Work
        """
        return self._backend_of(tensors).allreduce_coalesced(tensors, opts or _c10d.AllreduceCoalescedOptions())

    def broadcast(self, tensors: Any, opts: Any = None, timeout: datetime.timedelta | None = None) -> Any:
        """Sends the tensor of one rank to all.

        Args:
            tensors (Tensor or list): the tensor
            opts (BroadcastOptions or int): how, or the rank that sends
            timeout (timedelta, optional): how long

        Returns:
            a Work
        """
        tensors = [tensors] if isinstance(tensors, torch.Tensor) else tensors
        opts = _options(_c10d.BroadcastOptions, opts, timeout, rootRank=0 if opts is None else opts)
        return self._backend_of(tensors).broadcast(tensors, opts)

    def reduce(self, tensors: Any, opts: Any = None, op: Any = None, timeout: datetime.timedelta | None = None) -> Any:
        """Combines the tensors of all ranks on one of them.

        Args:
            tensors (Tensor or list): the tensor
            opts (ReduceOptions or int): how, or the rank that receives
            op (ReduceOp, optional): how values are combined
            timeout (timedelta, optional): how long

        Returns:
            a Work
        """
        tensors = [tensors] if isinstance(tensors, torch.Tensor) else tensors
        root = 0 if opts is None else opts
        opts = _options(_c10d.ReduceOptions, opts, timeout, rootRank=root, reduceOp=op or _c10d.ReduceOp.SUM)
        return self._backend_of(tensors).reduce(tensors, opts)

    def allgather(self, output_tensors: Any, input_tensors: Any, opts: Any = None) -> Any:
        """Gathers the tensors of all ranks on all of them.

        Args:
            output_tensors (list): a list of tensors, one per rank, or a list with one
            input_tensors (Tensor or list): the tensor of this rank
            opts (AllgatherOptions, optional): how

        Returns:
            a Work
        """
        if isinstance(input_tensors, torch.Tensor):
            output_tensors, input_tensors = [output_tensors], [input_tensors]
        opts = _options(_c10d.AllgatherOptions, opts, opts if isinstance(opts, datetime.timedelta) else None)
        return self._backend_of(input_tensors).allgather(output_tensors, input_tensors, opts)

    def _allgather_base(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Any:
        return self._backend_of(input)._allgather_base(output, input, opts or _c10d.AllgatherOptions())

    def all_gather_single(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Any:
        """Gathers the tensors of all ranks in one.

        Args:
            output (Tensor): the result
            input (Tensor): the tensor of this rank
            opts (AllgatherOptions, optional): how

        Returns:
            a Work
        """
        return self._allgather_base(output, input, opts)

    def allgather_coalesced(self, output_lists: Any, input_list: Any, opts: Any = None) -> Any:
        """Gathers several tensors at once.

        Args:
            output_lists (list of lists): for each rank the tensors it sends
            input_list (list of Tensor): those of this rank
            opts (AllgatherOptions, optional): how

        Returns:
            a Work
        """
        return self._backend_of(input_list).allgather_coalesced(output_lists, input_list, opts or _c10d.AllgatherOptions())

    def allgather_into_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Any:
        """Gathers several tensors, each into one.

        Args:
            outputs (list of Tensor): the results
            inputs (list of Tensor): the tensors of this rank
            opts (AllgatherOptions, optional): how

        Returns:
            a Work
        """
        return self._backend_of(inputs).allgather_into_tensor_coalesced(outputs, inputs, opts or _c10d.AllgatherOptions())

    all_gather_single_coalesced = allgather_into_tensor_coalesced

    def gather(self, output_tensors: Any, input_tensors: Any, opts: Any = None, timeout: datetime.timedelta | None = None) -> Any:
        """Gathers the tensors of all ranks on one of them.

        Args:
            output_tensors (list): on the rank that receives a list of tensors, one per rank, or a list with one
            input_tensors (Tensor or list): the tensor of this rank
            opts (GatherOptions or int): how, or the rank that receives
            timeout (timedelta, optional): how long

        Returns:
            a Work
        """
        if isinstance(input_tensors, torch.Tensor):
            output_tensors, input_tensors = [output_tensors] if output_tensors else [], [input_tensors]
        opts = _options(_c10d.GatherOptions, opts, timeout, rootRank=0 if opts is None else opts)
        return self._backend_of(input_tensors).gather(output_tensors, input_tensors, opts)

    def scatter(
        self, output_tensors: Any, input_tensors: Any, opts: Any = None, timeout: datetime.timedelta | None = None
    ) -> Any:
        """Sends each rank one of the tensors of one rank.

        Args:
            output_tensors (Tensor or list): where the tensor goes
            input_tensors (list): on the rank that sends a list of tensors, one per rank, or a list with one
            opts (ScatterOptions or int): how, or the rank that sends
            timeout (timedelta, optional): how long

        Returns:
            a Work
        """
        if isinstance(output_tensors, torch.Tensor):
            output_tensors, input_tensors = [output_tensors], [input_tensors] if input_tensors else []
        opts = _options(_c10d.ScatterOptions, opts, timeout, rootRank=0 if opts is None else opts)
        return self._backend_of(output_tensors).scatter(output_tensors, input_tensors, opts)

    def reduce_scatter(
        self, output_tensors: Any, input_tensors: Any, opts: Any = None, timeout: datetime.timedelta | None = None
    ) -> Any:  # fmt: skip
        """Combines lists of tensors, and gives each rank one of the results.

        Args:
            output_tensors (Tensor or list): where the result goes
            input_tensors (list): a list of tensors, one per rank, or a list with one
            opts (ReduceScatterOptions or ReduceOp, optional): how
            timeout (timedelta, optional): how long

        Returns:
            a Work
        """
        if isinstance(output_tensors, torch.Tensor):
            output_tensors, input_tensors = [output_tensors], [input_tensors]
        op = _c10d.ReduceOp.SUM if opts is None else opts
        opts = _options(_c10d.ReduceScatterOptions, opts, timeout, reduceOp=op)
        return self._backend_of(output_tensors).reduce_scatter(output_tensors, input_tensors, opts)

    def _reduce_scatter_base(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Any:
        return self._backend_of(input)._reduce_scatter_base(output, input, opts or _c10d.ReduceScatterOptions())

    def reduce_scatter_single(self, output: torch.Tensor, input: torch.Tensor, opts: Any = None) -> Any:
        """Combines tensors, and gives each rank a part.

        Args:
            output (Tensor): where the part goes
            input (Tensor): the tensor of this rank
            opts (ReduceScatterOptions, optional): how

        Returns:
            a Work
        """
        return self._reduce_scatter_base(output, input, opts)

    def reduce_scatter_tensor_coalesced(self, outputs: Any, inputs: Any, opts: Any = None) -> Any:
        """Combines several tensors, and gives each rank a part of each.

        Args:
            outputs (list of Tensor): where the parts go
            inputs (list of Tensor): the tensors
            opts (ReduceScatterOptions, optional): how

        Returns:
            a Work
        """
        opts = opts or _c10d.ReduceScatterOptions()
        return self._backend_of(inputs).reduce_scatter_tensor_coalesced(outputs, inputs, opts)

    reduce_scatter_single_coalesced = reduce_scatter_tensor_coalesced

    def alltoall(self, output_tensors: Any, input_tensors: Any, opts: Any = None) -> Any:
        """Each rank sends a tensor to every other.

        Args:
            output_tensors (list of Tensor): what comes from each rank
            input_tensors (list of Tensor): what goes to each rank
            opts (AllToAllOptions, optional): how

        Returns:
            a Work
        """
        return self._backend_of(input_tensors).alltoall(output_tensors, input_tensors, opts or _c10d.AllToAllOptions())

    def alltoall_base(
        self, output: torch.Tensor, input: torch.Tensor, output_split_sizes: list[int], input_split_sizes: list[int],
        opts: Any = None,
    ) -> Any:  # fmt: skip
        """Each rank sends a part of a tensor to every other.

        Args:
            output (Tensor): what comes
            input (Tensor): what goes
            output_split_sizes (list of int): rows that come from each rank; empty if all are equal
            input_split_sizes (list of int): rows that go to each rank; empty if all are equal
            opts (AllToAllOptions or timedelta, optional): how, or how long

        Returns:
            a Work
        """
        opts = _options(_c10d.AllToAllOptions, opts, opts if isinstance(opts, datetime.timedelta) else None)
        return self._backend_of(input).alltoall_base(output, input, output_split_sizes, input_split_sizes, opts)

    all_to_all_single = alltoall_base

    def send(self, tensors: list[torch.Tensor], dstRank: int, tag: int) -> Any:  # noqa: N803
        """Sends a tensor to a rank.

        Args:
            tensors (list of Tensor): one tensor
            dstRank (int): the rank
            tag (int): marks the message

        Returns:
            a Work
        """
        return self._backend_of(tensors).send(tensors, dstRank, tag)

    def recv(self, tensors: list[torch.Tensor], srcRank: int, tag: int) -> Any:  # noqa: N803
        """Receives a tensor from a rank.

        Args:
            tensors (list of Tensor): one tensor
            srcRank (int): the rank
            tag (int): marks the message

        Returns:
            a Work
        """
        return self._backend_of(tensors).recv(tensors, srcRank, tag)

    def recv_anysource(self, tensors: list[torch.Tensor], tag: int) -> Any:
        """Receives a tensor from any rank.

        Args:
            tensors (list of Tensor): one tensor
            tag (int): marks the message

        Returns:
            a Work
        """
        return self._backend_of(tensors).recv_anysource(tensors, tag)

    def barrier(self, opts: Any = None, timeout: datetime.timedelta | None = None) -> Any:
        """Waits for all ranks.

        Args:
            opts (BarrierOptions, optional): how
            timeout (timedelta, optional): how long

        Returns:
            a Work
        """
        return self._any_backend("barrier").barrier(_options(_c10d.BarrierOptions, opts, timeout))

    def monitored_barrier(self, timeout: datetime.timedelta | None = None, wait_all_ranks: bool = False) -> None:
        """Waits for all ranks, and names those that do not come.

        Args:
            timeout (timedelta, optional): how long
            wait_all_ranks (bool, default False): name all of them, not the first
        """
        self._any_backend("monitored_barrier").monitored_barrier(timeout, wait_all_ranks)

    # --- its life ---

    def set_timeout(self, timeout: datetime.timedelta) -> None:
        """Sets how long collectives may take.

        Args:
            timeout (timedelta): how long
        """
        for backend in self._backends.values():
            backend._set_default_timeout(timeout)

    def _get_sequence_number_for_group(self) -> int:
        return self._any_backend("sequence numbers")._get_sequence_number_for_group()

    def _set_sequence_number_for_group(self) -> None:
        pass

    def abort(self) -> None:
        """Closes the connections: what is under way fails, on all ranks."""
        for backend in self._backends.values():
            backend.abort()

    def shutdown(self) -> None:
        """Finishes what is under way and closes the connections."""
        for backend in self._backends.values():
            backend.shutdown()
