"""Work on several processes and machines: groups of processes, and collectives of tensors between them.

`is_available()` says whether this build has it. The extension and Gloo are loaded when a name that needs them is first used.
"""

from __future__ import annotations

import datetime
import enum
import os
import sys
import warnings

from torch import _C, _lazy

default_pg_timeout = datetime.timedelta(minutes=30)


def _extension_is_there() -> bool:
    from importlib.machinery import EXTENSION_SUFFIXES

    return any(os.path.exists(f"{_C.__path__[0]}/_distributed_c10d{suffix}") for suffix in EXTENSION_SUFFIXES)


_AVAILABLE = _extension_is_there()


def is_available() -> bool:
    """Whether this build has the distributed package.

    Returns:
        whether it was built with USE_DISTRIBUTED=1 on a machine with Gloo

    Example:
        >>> isinstance(torch.distributed.is_available(), bool)
        True
    """
    return _AVAILABLE


class DistError(RuntimeError):
    """An error of the distributed package.

    Example:
        >>> issubclass(torch.distributed.DistError, RuntimeError)
        True
    """


class DistBackendError(DistError):
    """An error of a backend: a collective that failed or took too long.

    Example:
        >>> issubclass(torch.distributed.DistBackendError, torch.distributed.DistError)
        True
    """


class DistNetworkError(DistError):
    """An error of a connection.

    Example:
        >>> issubclass(torch.distributed.DistNetworkError, torch.distributed.DistError)
        True
    """


class DistStoreError(DistError):
    """An error of a store, such as a key that did not come in time.

    Example:
        >>> issubclass(torch.distributed.DistStoreError, torch.distributed.DistError)
        True
    """


class QueueEmptyError(DistStoreError):
    """A queue of a store that is empty.

    Example:
        >>> issubclass(torch.distributed.QueueEmptyError, torch.distributed.DistStoreError)
        True
    """


class DebugLevel(enum.Enum):
    """How much is checked and logged.

    Example:
        >>> torch.distributed.DebugLevel.OFF.name
        'OFF'
    """

    OFF = 0
    INFO = 1
    DETAIL = 2


class BuiltinCommHookType(enum.Enum):
    """How DistributedDataParallel averages gradients without a function of the caller's.

    Example:
        >>> [hook.name for hook in torch.distributed.BuiltinCommHookType]
        ['ALLREDUCE', 'FP16_COMPRESS']
    """

    ALLREDUCE = 0
    FP16_COMPRESS = 1


_debug_level = DebugLevel.OFF


def get_debug_level() -> DebugLevel:
    """How much is checked and logged.

    Returns:
        the level

    Example:
        >>> torch.distributed.get_debug_level().name
        'OFF'
    """
    return _debug_level


def set_debug_level(level: DebugLevel) -> None:
    """Sets how much is checked and logged.

    Args:
        level (DebugLevel): the level. DETAIL compares every collective of groups that are made later between ranks

    Raises:
        TypeError: it is no level

    Example:
        >>> torch.distributed.set_debug_level(torch.distributed.DebugLevel.OFF)
    """
    global _debug_level
    if not isinstance(level, DebugLevel):
        raise TypeError(f"set_debug_level(): expected a DebugLevel, got {type(level).__name__}")
    _debug_level = level


def set_debug_level_from_env() -> None:
    """Sets the level that the environment variable TORCH_DISTRIBUTED_DEBUG names.

    Raises:
        RuntimeError: it names no level

    Example:
        >>> torch.distributed.set_debug_level_from_env()
    """
    name = os.environ.get("TORCH_DISTRIBUTED_DEBUG", "OFF") or "OFF"
    if name.upper() not in DebugLevel.__members__:
        raise RuntimeError(f"TORCH_DISTRIBUTED_DEBUG: expected OFF, INFO or DETAIL, got {name!r}")
    set_debug_level(DebugLevel[name.upper()])


_NAMES = {
    "torch.distributed.distributed_c10d":
        "all_gather all_gather_coalesced all_gather_into_tensor all_gather_object all_gather_single all_reduce "
        "all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv broadcast "
        "broadcast_object_list destroy_process_group gather gather_object get_backend get_backend_config "
        "get_default_backend_for_device get_global_rank get_group_rank get_node_local_rank get_process_group_ranks get_rank "
        "get_world_size init_process_group irecv isend monitored_barrier new_group new_subgroups "
        "new_subgroups_by_enumeration recv recv_object_list reduce reduce_op reduce_scatter reduce_scatter_single "
        "reduce_scatter_tensor scatter scatter_object_list send send_object_list split_group shrink_group record_comm "
        "supports_complex is_backend_available is_gloo_available is_mpi_available is_nccl_available is_ucc_available "
        "is_xccl_available get_pg_count AllToAllOptions AllgatherOptions AllreduceCoalescedOptions "
        "AllreduceOptions Backend BackendConfig BarrierOptions BroadcastOptions FileStore GatherOptions HashStore P2POp "
        "PrefixStore ProcessGroup ProcessGroupGloo ReduceOp ReduceOptions ReduceScatterOptions ScatterOptions Store TCPStore "
        "Work GroupMember group GroupName RankType GradBucket Reducer _get_default_group _coalescing_manager _all_gather_base "
        "_reduce_scatter_base",
    "torch.distributed.rendezvous": "register_rendezvous_handler",
    "torch.distributed.device_mesh": "DeviceMesh init_device_mesh",
    "torch.distributed._refused": "breakpoint Logger",
}  # fmt: skip
_MODULES = (
    "algorithms autograd checkpoint constants device_mesh distributed_c10d elastic fsdp launch launcher nn optim pipelining "
    "rendezvous rpc run tensor _tensor"
).split()

if _AVAILABLE:
    _places = {name: place for place, names in _NAMES.items() for name in names.split()}
    _places["rendezvous"] = "torch.distributed.rendezvous"  # a function with the name of its module

    def is_initialized() -> bool:
        """Whether `init_process_group` was called.

        Returns:
            whether the group of all processes is there

        Example:
            >>> torch.distributed.is_initialized()
            False
        """
        groups = sys.modules.get("torch.distributed._groups")
        return groups is not None and groups.GroupMember.WORLD is not None

    def is_torchelastic_launched() -> bool:
        """Whether torchrun started this process.

        Returns:
            whether it did

        Example:
            >>> torch.distributed.is_torchelastic_launched()
            False
        """
        return os.environ.get("TORCHELASTIC_RUN_ID") is not None

    if _C._cuda_extension():
        _places["ProcessGroupNCCL"] = "torch.distributed._nccl"

    try:
        set_debug_level_from_env()
    except RuntimeError as error:
        warnings.warn(f"{error}; it is ignored")
else:
    from torch.distributed._without import fill as _fill

    _fill(__name__, globals())
    _places = {"rendezvous": "torch.distributed.rendezvous"}

_places["log"] = "torch.distributed._log"

__getattr__, __dir__ = _lazy.lazy(__name__, [name for name in _MODULES if name not in _places], _places)
