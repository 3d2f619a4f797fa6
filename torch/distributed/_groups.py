"""The groups of processes of a job: making them, ending them, and the ranks that they have."""

from __future__ import annotations

import atexit
import datetime
import os
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import torch
from torch._C import _distributed_c10d as _c10d
from torch._C._distributed_c10d import PrefixStore, Store
from torch.distributed import DebugLevel, default_pg_timeout, get_debug_level
from torch.distributed._docs import documented
from torch.distributed._process_group import BackendType, ProcessGroup
from torch.distributed._rendezvous import rendezvous

GroupName = str
RankType = int


class GroupMember:
    """The group of all processes, and what stands for a group that this process is not in.

    Example:
        >>> torch.distributed.GroupMember.WORLD is None
        True
    """

    WORLD: ProcessGroup | None = None
    NON_GROUP_MEMBER = -100


class _WorldMeta(type):
    @property
    def WORLD(cls) -> ProcessGroup | None:  # noqa: N802
        return GroupMember.WORLD

    @WORLD.setter
    def WORLD(cls, value: ProcessGroup | None) -> None:  # noqa: N802
        GroupMember.WORLD = value


class group(metaclass=_WorldMeta):  # noqa: N801
    """`group.WORLD` is the group of all processes, None before `init_process_group`.

    Example:
        >>> torch.distributed.group.WORLD is None
        True
    """


class _Known(NamedTuple):
    """What is known about a group: its ranks, counted over all processes, in the order of the group."""

    ranks: list[int]
    backend: str
    config: str
    store: Store


class _World:
    """The groups of this process."""

    def __init__(self) -> None:
        self.groups: dict[ProcessGroup, _Known] = {}
        self.store: Store | None = None
        self.group_count = 0
        self.init_count = 0

    @property
    def default_pg(self) -> ProcessGroup | None:
        return GroupMember.WORLD

    @property
    def pg_map(self) -> dict[ProcessGroup, tuple[str, Store]]:
        return {pg: (known.backend, known.store) for pg, known in self.groups.items()}


_world = _World()


class _BackendPlugin(NamedTuple):
    creator_fn: Callable[..., Any]
    extended_api: bool


class Backend(str):
    """The name of a backend, in lower case; its class knows those that were registered.

    Args:
        name (str): the name

    Example:
        >>> torch.distributed.Backend("GLOO")
        'gloo'
    """

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL, FAKE = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl", "fake"
    backend_list = ["undefined", "gloo", "nccl", "xccl", "ucc", "mpi", "fake"]
    default_device_backend_map = {"cpu": "gloo", "cuda": "nccl", "xpu": "xccl", "mps": "gloo"}
    backend_capability: dict[str, list[str]] = {"gloo": ["cpu"], "nccl": ["cuda"], "ucc": ["cpu", "cuda"], "mpi": ["cpu"],
                                                "xccl": ["xpu"], "fake": ["cpu", "cuda"]}  # fmt: skip
    backend_type_map = {"undefined": BackendType.UNDEFINED, "gloo": BackendType.GLOO, "nccl": BackendType.NCCL,
                        "ucc": BackendType.UCC, "mpi": BackendType.MPI, "xccl": BackendType.XCCL,
                        "fake": BackendType.CUSTOM}  # fmt: skip
    _plugins: dict[str, _BackendPlugin] = {}
    _BackendPlugin = _BackendPlugin

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise ValueError(f"Backend: expected a name as a str, got {type(name).__name__}")
        return str.__new__(cls, getattr(cls, name.upper(), None) or name.lower())

    @classmethod
    def register_backend(
        cls, name: str, func: Callable[..., Any], extended_api: bool = False, devices: str | list[str] | None = None
    ) -> None:  # fmt: skip
        """Adds a backend.

        Args:
            name (str): its name
            func (Callable): takes (store, rank, size, timeout) and makes a backend or a ProcessGroup
            extended_api (bool, default False): call it with a description of the group and the options instead
            devices (str or list of str, optional): of the tensors that it works with; "cpu" and "cuda" by default

        Raises:
            RuntimeError: the name is taken
        """
        name = name.lower()
        if name in cls._plugins or name in ("gloo", "nccl", "mpi", "ucc", "xccl"):
            raise RuntimeError(f"register_backend(): there is a backend {name!r} already")
        devices = ["cpu", "cuda"] if devices is None else [devices] if isinstance(devices, str) else list(devices)
        setattr(cls, name.upper(), name)
        if name not in cls.backend_list:
            cls.backend_list.append(name)
        cls.backend_type_map[name] = BackendType.CUSTOM
        cls.backend_capability[name] = devices
        cls._plugins[name] = _BackendPlugin(func, extended_api)


def _fake(store: Store, rank: int, size: int, timeout: datetime.timedelta) -> Any:
    from torch.distributed._fake import FakeProcessGroup

    return FakeProcessGroup(rank, size)


Backend._plugins["fake"] = _BackendPlugin(_fake, False)


class BackendConfig:
    """Which backend works with the tensors of which device.

    Args:
        backend (Backend): a name, or names by device such as "cpu:gloo,cuda:nccl"

    Raises:
        ValueError: a device is named twice, or without a backend

    Example:
        >>> torch.distributed.BackendConfig(torch.distributed.Backend("cpu:gloo")).get_device_backend_map()
        {'cpu': 'gloo'}
    """

    def __init__(self, backend: str) -> None:
        self.device_backend_map: dict[str, Backend] = {}
        if backend == Backend.UNDEFINED:
            self.device_backend_map = {"cpu": Backend("gloo")}
        elif ":" in backend:
            for pair in backend.lower().split(","):
                device, colon, name = pair.partition(":")
                if not (device and colon and name) or ":" in name:
                    raise ValueError(f'BackendConfig: expected pairs such as "cpu:gloo,cuda:nccl", got {backend!r}')
                if device in self.device_backend_map:
                    raise ValueError(f"BackendConfig: the device {device!r} has two backends in {backend!r}")
                self.device_backend_map[device] = Backend(name)
        else:
            devices = ["cpu", "cuda"] if backend in ("gloo", "fake") else Backend.backend_capability.get(backend, ["cpu", "cuda"])
            self.device_backend_map = {device: Backend(backend) for device in devices}

    def __repr__(self) -> str:
        return ",".join(f"{device}:{backend}" for device, backend in self.device_backend_map.items())

    def get_device_backend_map(self) -> dict[str, Backend]:
        """The backends by device.

        Returns:
            a dict of names
        """
        return self.device_backend_map


def is_gloo_available() -> bool:
    """Whether this build has Gloo.

    Returns:
        whether it does

    Example:
        >>> isinstance(torch.distributed.is_gloo_available(), bool)
        True
    """
    return hasattr(_c10d, "ProcessGroupGloo")


def _not_built(name: str) -> Callable[[], bool]:
    def answer() -> bool:
        return False

    answer.__name__ = answer.__qualname__ = f"is_{name.lower()}_available"
    answer.__doc__ = (
        f"Whether this build has {name}: it does not.\n\nReturns:\n    False\n\n"
        f"Example:\n    >>> torch.distributed.{answer.__name__}()\n    False"
    )
    return answer


is_ucc_available, is_xccl_available = map(_not_built, ("UCC", "XCCL"))


def is_nccl_available() -> bool:
    """Whether this build has NCCL, which it has with the CUDA backend.

    Returns:
        whether it does

    Example:
        >>> isinstance(torch.distributed.is_nccl_available(), bool)
        True
    """
    from torch.distributed import _nccl

    return _nccl.extension() is not None


def is_mpi_available() -> bool:
    """Whether this build has MPI, and MPI's library is on this machine.

    Returns:
        whether it does

    Example:
        >>> isinstance(torch.distributed.is_mpi_available(), bool)
        True
    """
    try:
        import torch._C._distributed_mpi  # noqa: F401
    except ImportError:
        return False
    return True


def is_backend_available(backend: str) -> bool:
    """Whether a backend is in this build or was registered.

    Args:
        backend (str): its name

    Returns:
        whether it is there

    Example:
        >>> torch.distributed.is_backend_available("ucc")
        False
    """
    name = backend.lower()
    return name in Backend._plugins or (
        {"gloo": is_gloo_available, "mpi": is_mpi_available, "nccl": is_nccl_available}.get(name, bool)()
    )


# --- one group ---


def _make_backend(name: str, store: Store, rank: int, ranks: list[int], timeout: datetime.timedelta, options: Any, group_name: str
                  ) -> Any:  # fmt: skip
    size = len(ranks)
    if name in Backend._plugins:
        create, extended = Backend._plugins[name]
        if not extended:
            return create(store, rank, size, timeout)
        from types import SimpleNamespace

        about = SimpleNamespace(store=store, group_rank=rank, group_size=size, timeout=timeout, group_id=group_name,
                                global_ranks_in_group=ranks)  # fmt: skip
        return create(about, options)
    if name == "gloo" and is_gloo_available():
        if options is None:
            options = _c10d._Options()
            options._timeout, options._compare = timeout, get_debug_level() is DebugLevel.DETAIL
        return _c10d.ProcessGroupGloo(store, rank, size, options)
    if name == "mpi" and is_mpi_available():
        from torch.distributed import _mpi

        return _mpi.make(store, ranks, timeout)
    if name == "nccl" and is_nccl_available():
        from torch.distributed import _nccl

        return _nccl.make(store, rank, size, timeout, options)
    if name in Backend.backend_list:
        there = [kind for kind in ("gloo", "mpi", "nccl", "fake") if is_backend_available(kind)]
        reason = {
            "mpi": "it was built without Open MPI, or libmpi.so is not on this machine",
            "nccl": "NCCL works on tensors on NVIDIA GPUs, and torch was built without its CUDA backend (docs/cuda.md)",
        }.get(name, "this version of torch has no such backend")
        raise RuntimeError(f"there is no backend {name.upper()}: {reason}; there are {', '.join(there)}")
    raise ValueError(f"unknown backend {name!r}; there are {', '.join(sorted({'gloo', *Backend._plugins}))}")


def _make_group(
    ranks: list[int], rank: int, backend: str, store: Store, timeout: datetime.timedelta, options: Any, name: str,
    description: str | None,
) -> ProcessGroup:  # fmt: skip
    """The group of `ranks`, where this process is the one at position `rank`."""
    config = BackendConfig(Backend(backend))
    store = PrefixStore(name, store)
    pg: Any = ProcessGroup(store, rank, len(ranks))
    made: dict[str, Any] = {}
    for device, kind in config.get_device_backend_map().items():
        if kind not in made:
            own = PrefixStore(f"{kind}", store)
            made[kind] = _make_backend(kind, own, rank, ranks, timeout, options, name)
        if isinstance(made[kind], ProcessGroup):
            pg = made[kind]
            break
        pg._register_backend(torch.device(device), Backend.backend_type_map.get(kind, BackendType.CUSTOM), made[kind])
    pg._set_group_name(name)
    pg._set_group_desc(description or "undefined")
    short = "undefined" if backend == Backend.UNDEFINED else backend
    _world.groups[pg] = _Known(ranks, short, repr(config), store)
    return pg


def _check_timeout(timeout: Any) -> None:
    if not isinstance(timeout, datetime.timedelta):
        raise TypeError(f"Expected timeout argument to be a datetime.timedelta, got {timeout!r}")


@documented("torch.distributed.get_world_size()\n1".replace("torch", ">>> torch", 1))
def init_process_group(
    backend: str | None = None, init_method: str | None = None, timeout: datetime.timedelta | None = None,
    world_size: int = -1, rank: int = -1, store: Store | None = None, group_name: str = "", pg_options: Any = None,
    device_id: Any = None, _ranks: list[int] | None = None,
) -> None:  # fmt: skip
    """Makes the group of all processes. All of them must call it.

    Args:
        {backend}; a backend for each device by default, which is Gloo for the CPU
        init_method (str, optional): a URL that says where processes meet; "env://" by default, for processes of torchrun
        {timeout}
        world_size (int, default -1): how many processes there are, where the URL does not say it
        rank (int, default -1): the rank of this process, where the URL does not say it
        store (Store, optional): where processes meet, instead of a URL
        group_name (str, optional): of no effect
        {pg_options}
        device_id (device, optional): of no effect on the CPU

    Raises:
        ValueError: it was called before, or the rank or the number of processes is missing
        DistBackendError: the processes did not come within the timeout
    """
    if GroupMember.WORLD is not None:
        raise ValueError("init_process_group(): the default process group is there already; destroy_process_group() ends it")
    if store is not None and init_method is not None:
        raise ValueError("init_process_group(): give init_method or store, not both")
    if store is not None and (world_size <= 0 or rank < 0):
        raise ValueError(f"init_process_group(): a store needs world_size and rank too, got {world_size} and {rank}")
    if timeout is None:
        timeout = default_pg_timeout
    _check_timeout(timeout)
    name = Backend(backend) if backend else Backend(Backend.UNDEFINED)
    for kind in set(BackendConfig(name).get_device_backend_map().values()):
        if not is_backend_available(kind):
            _make_backend(kind, None, 0, [0], timeout, None, "")  # type: ignore[arg-type]  # raises
    if "mpi" in BackendConfig(name).get_device_backend_map().values():
        if rank != -1 or world_size != -1:
            warnings.warn(
                "init_process_group(): mpirun says rank and world_size; those that were given are ignored", stacklevel=2
            )
        from torch.distributed import _mpi

        meeting, rank, world_size = _mpi.meet(timeout)
        store = store or meeting
    elif store is None:
        store, rank, world_size = next(rendezvous(init_method or "env://", rank, world_size, timeout=timeout))
        store.set_timeout(timeout)
    # A second group of all processes must not find what the first one left in the store.
    _world.init_count += 1
    _world.group_count = 1
    _world.store = PrefixStore(f"default_pg_{_world.init_count}", store)
    if os.environ.get("TORCHELASTIC_ERROR_FILE"):
        from torch.distributed.elastic.multiprocessing.errors import report_uncaught

        report_uncaught()
    ranks = list(range(world_size))
    GroupMember.WORLD = _make_group(ranks, rank, name, _world.store, timeout, pg_options, "0", "default_pg")


def _end_group(pg: ProcessGroup) -> None:
    del _world.groups[pg]
    pg.shutdown()


@documented()
def destroy_process_group(group: ProcessGroup | None = None) -> None:
    """Ends a group; the default one ends all. Waits for what is under way.

    Args:
        {group}

    Raises:
        AssertionError: there is no such group
    """
    if group == GroupMember.NON_GROUP_MEMBER:
        return
    pg = GroupMember.WORLD if group is None else group
    assert pg is not None, "destroy_process_group(): there is no process group"
    if pg not in _world.groups:
        raise ValueError("destroy_process_group(): the group was destroyed before")
    if pg is GroupMember.WORLD:
        GroupMember.WORLD = None
        _world.store = None
        for other in reversed(list(_world.groups)):
            _end_group(other)
    else:
        _end_group(pg)


@atexit.register
def _forget_groups() -> None:
    # At the end of a program that did not destroy its groups: their threads must not outlive the interpreter, and a rank
    # that failed must not wait for the others.
    GroupMember.WORLD = None
    _world.groups.clear()


def _get_default_group() -> ProcessGroup:
    if GroupMember.WORLD is None:
        raise ValueError("the default process group is not there; call init_process_group first")
    return GroupMember.WORLD


def _get_default_store() -> Store:
    _get_default_group()
    assert _world.store is not None
    return _world.store


def _resolve(group: ProcessGroup | None) -> ProcessGroup:
    return _get_default_group() if group is None else group


def _rank_not_in_group(group: Any) -> bool:
    return group == GroupMember.NON_GROUP_MEMBER


def _known(group: ProcessGroup | None) -> _Known:
    pg = _resolve(group)
    if pg not in _world.groups:
        raise ValueError("the process group is invalid: it was destroyed, or made by other means than new_group")
    return _world.groups[pg]


# --- ranks ---


@documented(">>> torch.distributed.get_rank()\n0")
def get_rank(group: ProcessGroup | None = None) -> int:
    """The rank of this process in a group.

    Args:
        {group}

    Returns:
        the rank, -1 if it is not in the group
    """
    return -1 if _rank_not_in_group(group) else _resolve(group).rank()


@documented(">>> torch.distributed.get_world_size()\n1")
def get_world_size(group: ProcessGroup | None = None) -> int:
    """How many ranks a group has.

    Args:
        {group}

    Returns:
        the number, -1 if this process is not in the group
    """
    return -1 if _rank_not_in_group(group) else _resolve(group).size()


@documented(">>> torch.distributed.get_process_group_ranks(None)\n[0]")
def get_process_group_ranks(group: ProcessGroup | None) -> list[int]:
    """The ranks of a group, counted over all processes.

    Args:
        {group}

    Returns:
        the ranks in the order of the group
    """
    return list(_known(group).ranks)


@documented(">>> torch.distributed.get_group_rank(torch.distributed.group.WORLD, 0)\n0")
def get_group_rank(group: ProcessGroup, global_rank: int) -> int:
    """The rank within a group.

    Args:
        {group}
        global_rank (int): the rank, counted over all processes

    Returns:
        the rank, counted within the group

    Raises:
        ValueError: it is not in the group
    """
    if group is GroupMember.WORLD:
        return global_rank
    ranks = _known(group).ranks
    if global_rank not in ranks:
        raise ValueError(f"rank {global_rank} is not in the group {group.group_name!r}, which has {ranks}")
    return ranks.index(global_rank)


@documented(">>> torch.distributed.get_global_rank(torch.distributed.group.WORLD, 0)\n0")
def get_global_rank(group: ProcessGroup, group_rank: int) -> int:
    """The rank over all processes.

    Args:
        {group}
        group_rank (int): the rank, counted within the group

    Returns:
        the rank, counted over all processes

    Raises:
        ValueError: the group has no such rank
    """
    if group is GroupMember.WORLD:
        return group_rank
    ranks = _known(group).ranks
    if not 0 <= group_rank < len(ranks):
        raise ValueError(f"the group {group.group_name!r} of {len(ranks)} ranks has no rank {group_rank}")
    return ranks[group_rank]


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """The rank of this process on its machine, which torchrun puts into LOCAL_RANK.

    Args:
        fallback_rank (int, optional): what to return where LOCAL_RANK is not set

    Returns:
        the rank

    Raises:
        RuntimeError: LOCAL_RANK is not set, and there is no `fallback_rank`

    Example:
        >>> torch.distributed.get_node_local_rank(fallback_rank=0)
        0
    """
    text = os.environ.get("LOCAL_RANK")
    if text is not None:
        return int(text)
    if fallback_rank is None:
        raise RuntimeError("get_node_local_rank(): LOCAL_RANK is not set, and there is no fallback_rank")
    return int(fallback_rank)


@documented(">>> torch.distributed.get_backend()\n'gloo'")
def get_backend(group: ProcessGroup | None = None) -> str:
    """The backend of a group.

    Args:
        {group}

    Returns:
        its name
    """
    pg = _resolve(group)
    if _rank_not_in_group(pg):
        raise ValueError("get_backend(): this process is not in the group")
    return Backend(_known(pg).backend)


@documented(">>> torch.distributed.get_backend_config()\n'cpu:gloo,cuda:gloo'")
def get_backend_config(group: ProcessGroup | None = None) -> str:
    """The backends of a group by device.

    Args:
        {group}

    Returns:
        pairs such as "cpu:gloo,cuda:nccl"
    """
    return _known(group).config


def get_default_backend_for_device(device: str | torch.device) -> str:
    """The backend that tensors of a device use, if nothing else is asked for.

    Args:
        device (device): the device

    Returns:
        the name of the backend

    Raises:
        ValueError: there is none

    Example:
        >>> torch.distributed.get_default_backend_for_device("cpu")
        'gloo'
    """
    kind = device.type if isinstance(device, torch.device) else torch.device(device).type
    if kind not in Backend.default_device_backend_map:
        raise ValueError(f"get_default_backend_for_device(): there is no default for {kind!r}")
    return Backend.default_device_backend_map[kind]


def get_pg_count() -> int:
    """How many groups there are.

    Returns:
        the number

    Example:
        >>> torch.distributed.get_pg_count()
        0
    """
    return len(_world.groups)


# --- more groups ---


@documented(">>> torch.distributed.get_world_size(torch.distributed.new_group([0]))\n1")
def new_group(
    ranks: Iterable[int] | None = None, timeout: datetime.timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, use_local_synchronization: bool = False, group_desc: str | None = None, device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:  # fmt: skip
    """Makes a group of some ranks. All processes must call it, also those outside, and in the same order.

    Args:
        ranks (iterable of int, optional): the ranks, counted over all processes; all by default
        {timeout}
        {backend}
        {pg_options}
        use_local_synchronization (bool, default False): only the ranks of the group call it
        {group_desc}
        device_id (device, optional): of no effect on the CPU
        sort_ranks (bool, default True): the ranks of the group are in ascending order, not in the given one

    Returns:
        the group, or GroupMember.NON_GROUP_MEMBER if this process is not in it

    Raises:
        ValueError: there are too many ranks, or one of them twice or out of range
    """
    world = _get_default_group()
    chosen = list(range(world.size())) if ranks is None else list(ranks)
    if len(chosen) > world.size():
        raise ValueError(f"new_group(): {len(chosen)} ranks of {world.size()} processes")
    if len(set(chosen)) != len(chosen):
        raise ValueError(f"new_group(): a rank is there twice in {chosen}")
    for rank in chosen:
        if not 0 <= rank < world.size():
            raise ValueError(f"new_group(): there is no rank {rank} among {world.size()} processes")
    if sort_ranks:
        chosen.sort()
    if timeout is None:
        timeout = default_pg_timeout
    _check_timeout(timeout)
    if use_local_synchronization:
        # Others do not count this group: its name comes from its ranks.
        same = sum(known.ranks == chosen for known in _world.groups.values())
        name = f"local_{'_'.join(map(str, chosen))}_{same}"
    else:
        name = str(_world.group_count)
        _world.group_count += 1
    if world.rank() not in chosen:
        return GroupMember.NON_GROUP_MEMBER
    kind = Backend(backend) if backend else _known(None).backend
    store = _get_default_store()
    return _make_group(chosen, chosen.index(world.rank()), kind, store, timeout, pg_options, name, group_desc)


@documented(">>> torch.distributed.get_world_size(torch.distributed.new_subgroups_by_enumeration([[0]])[0])\n1")
def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]], timeout: datetime.timedelta | None = None, backend: str | None = None,
    pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Divides the ranks into groups.

    Args:
        ranks_per_subgroup_list (list of lists of int): the ranks of each group
        {timeout}
        {backend}
        {pg_options}
        {group_desc}

    Returns:
        the group of this process, and a list of all

    Raises:
        ValueError: the list is empty, or a rank is in two groups
    """
    if not ranks_per_subgroup_list:
        raise ValueError("new_subgroups_by_enumeration(): expected at least one list of ranks")
    seen = [rank for ranks in ranks_per_subgroup_list for rank in ranks]
    if len(set(seen)) != len(seen):
        raise ValueError(f"new_subgroups_by_enumeration(): a rank is in two groups of {ranks_per_subgroup_list}")
    groups = [new_group(ranks, timeout, backend, pg_options, group_desc=group_desc) for ranks in ranks_per_subgroup_list]
    own = [pg for pg, ranks in zip(groups, ranks_per_subgroup_list) if get_rank() in ranks]
    return own[0] if own else None, groups


@documented(">>> torch.distributed.get_world_size(torch.distributed.new_subgroups(1)[0])\n1")
def new_subgroups(
    group_size: int | None = None, group: ProcessGroup | None = None, timeout: datetime.timedelta | None = None,
    backend: str | None = None, pg_options: Any = None, group_desc: str | None = None,
) -> tuple[Any, list[Any]]:  # fmt: skip
    """Divides the ranks into groups of one size, one after the other.

    Args:
        group_size (int): how many ranks each has
        group (ProcessGroup, optional): of no effect; the ranks are those of all processes
        {timeout}
        {backend}
        {pg_options}
        {group_desc}

    Returns:
        the group of this process, and a list of all

    Raises:
        ValueError: the size does not divide the number of ranks
    """
    size = get_world_size()
    if group_size is None:
        raise ValueError("new_subgroups(): give group_size; without GPUs it has no default")
    if group_size <= 0 or size % group_size:
        raise ValueError(f"new_subgroups(): group_size {group_size} does not divide the {size} processes")
    parts = [list(range(start, start + group_size)) for start in range(0, size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


@documented(">>> torch.distributed.get_world_size(torch.distributed.split_group(split_ranks=[[0]]))\n1")
def split_group(
    parent_pg: ProcessGroup | None = None, split_ranks: list[list[int]] | None = None,
    timeout: datetime.timedelta | None = None, pg_options: Any = None, group_desc: str | None = None, backend: str | None = None,
) -> ProcessGroup | None:  # fmt: skip
    """Divides a group. All of its ranks must call it.

    Args:
        parent_pg (ProcessGroup, optional): the group; that of all processes by default
        split_ranks (list of lists of int): the ranks of each part, counted within the group
        {timeout}
        {pg_options}
        {group_desc}
        {backend}

    Returns:
        the part of this process, None if it is in none

    Raises:
        ValueError: there are no parts
    """
    if not split_ranks:
        raise ValueError("split_group(): expected at least one list of ranks")
    known = _known(parent_pg)
    result = None
    for part in split_ranks:
        ranks = [known.ranks[rank] for rank in part]
        if get_rank() in ranks:
            result = new_group(ranks, timeout, backend or known.backend, pg_options, True, group_desc, sort_ranks=False)
    return result


def shrink_group(
    ranks_to_exclude: list[int], group: ProcessGroup | None = None, shrink_flags: int = 0, pg_options: Any = None
) -> ProcessGroup:  # fmt: skip
    """Takes ranks out of a group, which only NCCL can do.

    Args:
        ranks_to_exclude (list of int): the ranks
        group (ProcessGroup, optional): the group
        shrink_flags (int, default 0): how
        pg_options (object, optional): options of the backend

    Raises:
        TypeError: always; make a new group instead

    Example:
        >>> torch.distributed.shrink_group([1])
        Traceback (most recent call last):
        TypeError: ...
    """
    raise TypeError("shrink_group(): no backend of this build can shrink a group; new_group() makes one of the other ranks")
