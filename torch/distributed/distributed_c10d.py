"""The functions and classes of torch.distributed, which are written in the modules that this one imports."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from torch.distributed import default_pg_timeout, is_available, is_torchelastic_launched  # noqa: F401

if not is_available():
    from torch.distributed._without import fill

    fill(__name__, globals())
else:
    from torch._C._distributed_c10d import (  # noqa: F401
        AllgatherOptions,
        AllreduceCoalescedOptions,
        AllreduceOptions,
        AllToAllOptions,
        BarrierOptions,
        BroadcastOptions,
        FileStore,
        GatherOptions,
        GradBucket,
        HashStore,
        PrefixStore,
        ReduceOp,
        ReduceOptions,
        Reducer,
        ReduceScatterOptions,
        ScatterOptions,
        Store,
        TCPStore,
        Work,
    )
    from torch.distributed import is_initialized  # noqa: F401
    from torch.distributed._checks import supports_complex  # noqa: F401
    from torch.distributed._collectives import *  # noqa: F403
    from torch.distributed._collectives import (  # noqa: F401
        _all_gather_base,
        _coalescing_manager,
        _CoalescingManager,
        _reduce_scatter_base,
    )
    from torch.distributed._groups import *  # noqa: F403
    from torch.distributed._groups import (  # noqa: F401
        _get_default_group,
        _get_default_store,
        _rank_not_in_group,
        _resolve,
        _world,
        is_gloo_available,
    )
    from torch.distributed._objects import *  # noqa: F403
    from torch.distributed._p2p import *  # noqa: F403
    from torch.distributed._process_group import ProcessGroup

    if is_gloo_available():
        from torch.distributed._gloo import ProcessGroupGloo  # noqa: F401
    else:
        from torch.distributed._not_there import not_there

        not_there(__name__, globals()).refused_classes("ProcessGroupGloo", "Collectives by Gloo, which this build lacks.")

    # The former name of the operations.
    reduce_op = ReduceOp

    def _get_process_group_name(pg: ProcessGroup) -> str:
        return pg.group_name

    def _get_pg_default_device(group: ProcessGroup | None = None) -> object:
        return _resolve(group)._device_types[0]

    _group_or_default_group = _resolve


@contextlib.contextmanager
def record_comm(name: str) -> Iterator[None]:
    """A block whose collectives have a name in profiles.

    Args:
        name (str): the name

    Example:
        >>> with torch.distributed.record_comm("step"):
        ...     pass
    """
    from torch.profiler import record_function

    with record_function(name):
        yield
