"""Work on several processes or machines, which this version cannot do.

`is_available()` is False. Names are there for annotations and `isinstance`; every function that needs other processes raises an
error.
"""

from __future__ import annotations

import datetime
import enum

from torch import _lazy
from torch.distributed._not_there import not_there as _not_there

_missing = _not_there(__name__, globals())
_missing.answers("is_available", False, "Whether the distributed package is there.")
_missing.answers(
    "is_initialized is_backend_available is_gloo_available is_mpi_available is_nccl_available is_ucc_available is_xccl_available "
    "is_torchelastic_launched",
    False,
    "Whether it is there and ready: nothing is.",
)
_missing.answers("get_pg_count", 0, "How many groups of processes there are.")
_missing.refuses(
    "all_gather all_gather_coalesced all_gather_into_tensor all_gather_object all_gather_single all_reduce "
    "all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv breakpoint broadcast "
    "broadcast_object_list destroy_process_group gather gather_object get_backend get_backend_config "
    "get_default_backend_for_device get_global_rank get_group_rank get_node_local_rank get_process_group_ranks get_rank "
    "get_world_size init_device_mesh init_process_group irecv isend monitored_barrier new_group new_subgroups "
    "new_subgroups_by_enumeration record_comm recv recv_object_list reduce reduce_scatter reduce_scatter_single "
    "reduce_scatter_tensor register_rendezvous_handler scatter scatter_object_list send send_object_list "
    "set_debug_level_from_env shrink_group split_group supports_complex",
    "Needs other processes, and this version cannot work with any.",
)
_missing.refused_classes(
    "AllToAllOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions BroadcastOptions DeviceMesh "
    "FileStore GatherOptions GradBucket HashStore Logger P2POp PrefixStore ProcessGroup ProcessGroupGloo ReduceOptions "
    "ReduceScatterOptions Reducer ScatterOptions Store TCPStore Work",
    "A part of the distributed package, which is not there.",
)
default_pg_timeout = datetime.timedelta(minutes=30)


class DistError(RuntimeError):
    """An error of the distributed package.

    Example:
        >>> issubclass(torch.distributed.DistError, RuntimeError)
        True
    """


class DistBackendError(DistError):
    """An error of a backend.

    Example:
        >>> issubclass(torch.distributed.DistBackendError, torch.distributed.DistError)
        True
    """


class DistNetworkError(DistError):
    """An error of the network.

    Example:
        >>> issubclass(torch.distributed.DistNetworkError, torch.distributed.DistError)
        True
    """


class DistStoreError(DistError):
    """An error of a store.

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
    """How much is checked.

    Example:
        >>> torch.distributed.DebugLevel.OFF.name
        'OFF'
    """

    OFF = 0
    INFO = 1
    DETAIL = 2


def get_debug_level() -> DebugLevel:
    """How much is checked.

    Returns:
        DebugLevel.OFF

    Example:
        >>> torch.distributed.get_debug_level().name
        'OFF'
    """
    return DebugLevel.OFF


class ReduceOp:
    """How values of several processes are combined.

    Example:
        >>> torch.distributed.ReduceOp.SUM.name
        'SUM'
    """

    class RedOpType(enum.Enum):
        """The ways."""

        SUM = 0
        AVG = 1
        PRODUCT = 2
        MIN = 3
        MAX = 4
        BAND = 5
        BOR = 6
        BXOR = 7
        PREMUL_SUM = 8

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = RedOpType


class group:
    """The group of all processes: there is none.

    Example:
        >>> torch.distributed.group.WORLD is None
        True
    """

    WORLD = None


class GroupMember:
    """Whether a process belongs to a group: there are none.

    Example:
        >>> torch.distributed.GroupMember.WORLD is None
        True
    """

    WORLD = None
    NON_GROUP_MEMBER = -100


__getattr__, __dir__ = _lazy.lazy(__name__, ("constants", "device_mesh", "distributed_c10d", "fsdp", "tensor", "_tensor"))
