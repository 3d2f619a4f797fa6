"""The names of torch.distributed in a build without it: queries answer no, and what needs other processes raises an error."""

from __future__ import annotations

import enum
from typing import Any

from torch.distributed._not_there import not_there


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


def fill(module: str, space: dict[str, Any]) -> None:
    """Puts the names into a module's globals."""
    missing = not_there(module, space)
    missing.answers(
        "is_initialized is_backend_available is_gloo_available is_mpi_available is_nccl_available is_ucc_available "
        "is_xccl_available is_torchelastic_launched",
        False,
        "Whether it is there and ready: nothing is.",
    )
    missing.answers("get_pg_count", 0, "How many groups of processes there are.")
    missing.refuses(
        "all_gather all_gather_coalesced all_gather_into_tensor all_gather_object all_gather_single all_reduce "
        "all_reduce_coalesced all_to_all all_to_all_single barrier batch_isend_irecv breakpoint broadcast "
        "broadcast_object_list destroy_process_group gather gather_object get_backend get_backend_config "
        "get_default_backend_for_device get_global_rank get_group_rank get_node_local_rank get_process_group_ranks get_rank "
        "get_world_size init_device_mesh init_process_group irecv isend monitored_barrier new_group new_subgroups "
        "new_subgroups_by_enumeration record_comm recv recv_object_list reduce reduce_scatter reduce_scatter_single "
        "reduce_scatter_tensor register_rendezvous_handler scatter scatter_object_list send send_object_list "
        "shrink_group split_group supports_complex",
        "Needs other processes, and this build cannot work with any.",
    )
    missing.refused_classes(
        "AllToAllOptions AllgatherOptions AllreduceCoalescedOptions AllreduceOptions Backend BackendConfig BarrierOptions "
        "BroadcastOptions DeviceMesh FileStore GatherOptions GradBucket HashStore Logger P2POp PrefixStore ProcessGroup "
        "ProcessGroupGloo ReduceOptions ReduceScatterOptions Reducer ScatterOptions Store TCPStore Work",
        "A part of the distributed package, which is not there.",
    )
    space.update(ReduceOp=ReduceOp, reduce_op=ReduceOp, GroupName=str, RankType=int, group=group, GroupMember=GroupMember)
