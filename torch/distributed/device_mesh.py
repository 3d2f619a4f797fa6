"""Processes in a grid: a mesh has a group of processes for each of its dimensions."""

from __future__ import annotations

import math
import weakref
from typing import Any

import torch
import torch.distributed as dist
from torch.distributed._mesh_backends import Override, one_override, overrides_by_dim
from torch.distributed._mesh_stack import _mesh_resources as _mesh_resources

__all__ = ["DeviceMesh", "init_device_mesh"]


# The meshes of this process that have groups, for those that are loaded and have none.
_with_groups: weakref.WeakValueDictionary[Any, DeviceMesh] = weakref.WeakValueDictionary()


def _rows(ranks: torch.Tensor, dims: tuple[int, ...]) -> list[list[int]]:
    """The ranks along the dimensions, one list for each position in the others."""
    rest = [d for d in range(ranks.dim()) if d not in dims]
    size = math.prod(ranks.shape[d] for d in dims)
    return ranks.permute(*rest, *dims).reshape(-1, size).tolist()


def _check_device_type(function: str, device_type: Any) -> str:
    if not isinstance(device_type, str) or not device_type.isalpha():
        raise RuntimeError(f'{function}(): expected the type of a device, such as "cpu" without an index, got {device_type!r}')
    if device_type not in ("cpu", "meta"):
        torch.device(device_type)  # refuses other words
        module = getattr(torch, device_type, None)
        if module is None or not module.is_available():
            raise RuntimeError(f"{function}(): there is no device of the type {device_type!r} on this machine")
    return device_type


class DeviceMesh:
    """Processes in a grid of any number of dimensions.

    All processes of the job make it together. `mesh["name"]` is the part of one dimension that this process is in.

    Args:
        device_type (str): of the tensors that the processes exchange, "cpu" or "cuda"
        mesh (Tensor or list): the ranks, counted over all processes, in the form of the grid
        mesh_dim_names (tuple of str, optional): names of the dimensions
        backend_override (tuple, optional): for each dimension a backend and its options, both of which may be None

    Raises:
        RuntimeError: the mesh has ranks that are not there, or has one twice
        ValueError: backend_override has another length than the mesh has dimensions

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> mesh = torch.distributed.DeviceMesh("cpu", [[0]], mesh_dim_names=("dp", "tp"))
        >>> mesh["tp"]
        DeviceMesh((tp=1), 'cpu')
        >>> torch.distributed.destroy_process_group()
    """

    def __init__(
        self, device_type: str, mesh: Any = None, *, mesh_dim_names: tuple[str, ...] | None = None, backend_override: Any = None,
        _init_backend: bool = True, _rank: int | None = None,
    ) -> None:  # fmt: skip
        if mesh is None:
            raise TypeError("DeviceMesh(): expected mesh, the ranks in the form of the grid")
        ranks = torch.as_tensor(mesh, dtype=torch.int, device="cpu").detach().clone()
        if mesh_dim_names is not None and len(mesh_dim_names) != max(ranks.dim(), 1):
            raise RuntimeError(f"DeviceMesh(): the mesh has {ranks.dim()} dimensions, and mesh_dim_names {len(mesh_dim_names)}")
        if ranks.dim() == 0:
            ranks = ranks.reshape(1)
        flat = ranks.flatten().tolist()
        if len(set(flat)) != len(flat):
            raise RuntimeError(f"DeviceMesh(): a rank is in the mesh twice: {ranks.tolist()}")
        self._setup(
            _check_device_type("DeviceMesh", device_type), ranks, None, tuple((d,) for d in range(ranks.dim())), mesh_dim_names
        )
        self._groups: dict[tuple[int, ...], Any] = {}
        self._flattened: dict[str, tuple[int, ...]] = {}
        self._slices: dict[Any, DeviceMesh] = {}
        backends: tuple[Override, ...] = ((None, None),) * ranks.dim() if backend_override is None else tuple(backend_override)
        if len(backends) != ranks.dim():
            raise ValueError(f"DeviceMesh(): backend_override has {len(backends)} entries for a mesh of {ranks.dim()} dimensions")
        if _init_backend:
            if not dist.is_initialized():
                dist.init_process_group()
            if max(flat, default=0) >= dist.get_world_size():
                raise RuntimeError(
                    f"DeviceMesh(): the mesh has the rank {max(flat)}, and the job has {dist.get_world_size()} processes"
                )
            for d in range(ranks.dim()):
                self._make_group((d,), one_override(backends[d]))
            _with_groups[self._key] = self
        self._place(dist.get_rank() if _rank is None and dist.is_initialized() else _rank or 0)

    # --- how it is made ---

    def _setup(self, device_type: str, ranks: torch.Tensor, root: DeviceMesh | None, dims: tuple[tuple[int, ...], ...], names: Any
               ) -> None:  # fmt: skip
        """Sets what a mesh and its slices have: `dims` are the dimensions of the root that each of its own consists of."""
        self._device_type, self._ranks, self._root, self._dims = device_type, ranks, root, dims
        self._names = None if names is None else tuple(names)
        self._key = (device_type, self._names, tuple(ranks.shape), tuple(ranks.flatten().tolist()))
        self._hash = hash(self._key)

    def _place(self, rank: int) -> None:
        self._rank = rank
        position = (self._ranks == rank).nonzero()
        self._coordinate = tuple(position[0].tolist()) if len(position) else None

    def _get_root_mesh(self) -> DeviceMesh:
        return self._root or self

    def _make_group(self, dims: tuple[int, ...], override: Override = (None, None), own_row_only: bool = False) -> None:
        """Makes the groups along dimensions of the root; all processes of the job come here, or those of each row if so said."""
        ranks = self._ranks
        backend, options = override
        if (
            override == (None, None)
            and len(dims) == ranks.dim()
            and ranks.numel() == dist.get_world_size()
            and ranks.flatten().tolist() == list(range(ranks.numel()))
        ):
            self._groups[dims] = dist.group.WORLD
            return
        own = dist.get_rank()
        for row in _rows(ranks, dims):
            if own_row_only and own not in row:
                continue
            group = dist.new_group(
                row, backend=backend, pg_options=options, use_local_synchronization=own_row_only,
                group_desc=f"mesh_{'_'.join(map(str, dims))}", sort_ranks=False,
            )  # fmt: skip
            if own in row:
                self._groups[dims] = group

    def _slice(self, names: tuple[str, ...]) -> DeviceMesh:
        root = self._get_root_mesh()
        own = dict(zip(self._names or (), self._dims))
        found = []
        for name in names:
            dims = own.get(name, root._flattened.get(name))
            if dims is None:
                known = [*own, *root._flattened]
                raise KeyError(f"DeviceMesh: there is no dimension {name!r}; there are {known or 'no names'}")
            found.append(dims)
        used = [d for dims in found for d in dims]
        if len(set(used)) != len(used):
            raise KeyError(f"DeviceMesh: the dimensions {names} overlap")
        if tuple(found) == self._dims and names == self._names:
            return self
        if root._coordinate is None:
            raise RuntimeError(f"DeviceMesh: rank {root._rank} is not in the mesh, and cannot take a part of it")
        return root._part(tuple(found), names)

    def _part(self, dims: tuple[tuple[int, ...], ...], names: tuple[str, ...] | None) -> DeviceMesh:
        """The slice of this root mesh that has this process."""
        key = dims, names
        if key not in self._slices:
            assert self._coordinate is not None
            order = [d for group in dims for d in group]
            rest = [d for d in range(self._ranks.dim()) if d not in order]
            ranks = self._ranks.permute(*rest, *order)[tuple(self._coordinate[d] for d in rest)]
            ranks = ranks.reshape([math.prod(self._ranks.shape[d] for d in group) for group in dims])
            part = DeviceMesh.__new__(DeviceMesh)
            part._setup(self._device_type, ranks, self, dims, names)
            part._place(self._rank)
            self._slices[key] = part
        return self._slices[key]

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        if not self._names:
            raise RuntimeError("DeviceMesh: the mesh has no names of dimensions; give mesh_dim_names when it is made")
        if not names:
            raise KeyError("DeviceMesh: expected the name of a dimension, got none")
        return self._slice(names)

    def _flatten(self, mesh_dim_name: str | None = None, backend_override: Any = None) -> DeviceMesh:
        """The mesh of one dimension that has all processes of this one; all processes of the job call it.

        Args:
            mesh_dim_name (str, optional): the name of the dimension; the names of this mesh joined by "_" by default
            backend_override (object, optional): the name of a backend, options of one, or a tuple of both
        """
        root = self._get_root_mesh()
        if mesh_dim_name is None:
            mesh_dim_name = "_".join(self._names or [str(d) for d in range(self.ndim)])
        dims = tuple(d for group in self._dims for d in group)
        if len(self._dims) == 1 and self._names and mesh_dim_name == self._names[0]:
            return self
        known = root._flattened.get(mesh_dim_name)
        if (known is not None and known != dims) or mesh_dim_name in (root._names or ()):
            raise RuntimeError(f"DeviceMesh: there is another dimension {mesh_dim_name!r} already")
        if dims not in root._groups or backend_override is not None:
            root._make_group(dims, one_override(backend_override))
        root._flattened[mesh_dim_name] = dims
        return root._part((dims,), (mesh_dim_name,))

    def _unflatten(
        self, dim: int | str, mesh_sizes: tuple[int, ...], mesh_dim_names: tuple[str, ...], backend_override: Any = None
    ) -> DeviceMesh:  # fmt: skip
        """The mesh with one dimension cut into several; all processes of this mesh call it.

        Args:
            dim (int or str): the dimension
            mesh_sizes (tuple of int): the sizes of those that it is cut into
            mesh_dim_names (tuple of str): their names
            backend_override (dict, optional): the backends of some of these, by name
        """
        d = self._dim(dim)
        if math.prod(mesh_sizes) != self._ranks.shape[d] or len(mesh_sizes) != len(mesh_dim_names):
            raise ValueError(f"DeviceMesh: cannot cut {self._ranks.shape[d]} processes into {mesh_sizes}, {mesh_dim_names}")
        names = list(self._names or [f"dim_{k}" for k in range(self.ndim)])
        made = DeviceMesh(
            self._device_type, self._ranks.unflatten(d, list(mesh_sizes)),
            mesh_dim_names=(*names[:d], *mesh_dim_names, *names[d + 1 :]), _init_backend=False,
        )  # fmt: skip
        cut = overrides_by_dim("DeviceMesh._unflatten", backend_override, len(mesh_sizes), tuple(mesh_dim_names))
        backends = [(None, None)] * d + list(cut) + [(None, None)] * (self.ndim - d - 1)
        for k in range(made.ndim):
            # Other processes have other slices: they do not come to the groups of this one.
            made._make_group((k,), backends[k], own_row_only=self._root is not None)
        _with_groups[made._key] = made
        return made

    @staticmethod
    def _concatenate(device_mesh_list: list[DeviceMesh]) -> DeviceMesh:
        """The mesh with the dimensions of several slices of one mesh."""
        root = device_mesh_list[0]._get_root_mesh()
        if any(mesh._get_root_mesh() is not root for mesh in device_mesh_list):
            raise RuntimeError("DeviceMesh: the meshes to join are slices of different ones")
        dims = tuple(group for mesh in device_mesh_list for group in mesh._dims)
        return root._part(dims, tuple(name for mesh in device_mesh_list for name in mesh._names or ()))

    @staticmethod
    def from_group(
        group: Any, device_type: str, mesh: Any = None, *, mesh_dim_names: tuple[str, ...] | None = None
    ) -> DeviceMesh:  # fmt: skip
        """A mesh out of groups that are there.

        Args:
            group (ProcessGroup or list): the group, or one for each dimension
            device_type (str): of the tensors that the processes exchange, "cpu" or "cuda"
            mesh (Tensor or list, optional): the ranks in the form of the grid, for several groups
            mesh_dim_names (tuple of str, optional): names of the dimensions

        Returns:
            the mesh

        Raises:
            ValueError: several groups without the ranks, or ranks that are not those of the groups

        Example:
            >>> torch.distributed.DeviceMesh.from_group.__name__
            'from_group'
        """
        groups = list(group) if isinstance(group, (list, tuple)) else [group]
        if not groups:
            raise ValueError("DeviceMesh.from_group(): expected a group, got none")
        if mesh is None:
            if len(groups) > 1:
                raise ValueError("DeviceMesh.from_group(): several groups need mesh, the ranks in the form of the grid")
            mesh = dist.get_process_group_ranks(groups[0])
        made = DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names, _init_backend=False)
        if made.ndim != len(groups):
            raise ValueError(f"DeviceMesh.from_group(): got {len(groups)} groups for a mesh of {made.ndim} dimensions")
        for d, each in enumerate(groups):
            if dist.get_process_group_ranks(each) not in _rows(made._ranks, (d,)):
                raise ValueError(f"DeviceMesh.from_group(): the ranks of group {d} are not along dimension {d} of the mesh")
            made._groups[(d,)] = each
        return made

    # --- what it is ---

    @property
    def device_type(self) -> str:
        """The type of the processes' device."""
        return self._device_type

    @property
    def mesh(self) -> torch.Tensor:
        """The ranks, counted over all processes, in the form of the grid."""
        return self._ranks

    @property
    def mesh_dim_names(self) -> tuple[str, ...] | None:
        """The names of the dimensions."""
        return self._names

    @property
    def ndim(self) -> int:
        """How many dimensions there are."""
        return self._ranks.dim()

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return tuple(self._ranks.shape)

    def size(self, mesh_dim: int | None = None) -> int:
        """How many processes there are.

        Args:
            mesh_dim (int, optional): along this dimension; in the whole mesh by default

        Returns:
            the number
        """
        return self._ranks.numel() if mesh_dim is None else self._ranks.size(mesh_dim)

    def _dim(self, mesh_dim: int | str) -> int:
        if isinstance(mesh_dim, str):
            if mesh_dim not in (self._names or ()):
                raise KeyError(f"DeviceMesh: there is no dimension {mesh_dim!r}; there are {self._names or 'no names'}")
            return self._names.index(mesh_dim)  # type: ignore[union-attr]
        if not -self.ndim <= mesh_dim < self.ndim:
            raise IndexError(f"DeviceMesh: the mesh of {self.ndim} dimensions has no dimension {mesh_dim}")
        return mesh_dim % self.ndim

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """The group of the processes along a dimension that has this process.

        Args:
            mesh_dim (int or str, optional): the dimension, or its name; it may be left out if there is one only

        Returns:
            the group

        Raises:
            RuntimeError: no dimension was given and there are several, or the mesh has no groups
        """
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(f"DeviceMesh.get_group(): the mesh has {self.ndim} dimensions; which one?")
            mesh_dim = 0
        root = self._get_root_mesh()
        if isinstance(mesh_dim, str) and mesh_dim not in (self._names or ()) and mesh_dim in root._flattened:
            dims = root._flattened[mesh_dim]
        else:
            dims = self._dims[self._dim(mesh_dim)]
        if dims not in root._groups and root._key in _with_groups:
            root = _with_groups[root._key]  # this mesh was loaded
        if dims not in root._groups:
            raise RuntimeError(f"DeviceMesh.get_group(): rank {self._rank} has no group along dimension {mesh_dim!r} of the mesh")
        return root._groups[dims]

    def get_all_groups(self) -> list[Any]:
        """The groups of all dimensions.

        Returns:
            a list of groups
        """
        return [self.get_group(d) for d in range(self.ndim)]

    def get_rank(self) -> int:
        """The rank of this process, counted over all processes.

        Returns:
            the rank
        """
        return dist.get_rank()

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """The position of this process along a dimension.

        Args:
            mesh_dim (int or str, optional): the dimension, or its name; it may be left out if there is one only

        Returns:
            the position

        Raises:
            RuntimeError: no dimension was given and there are several, or the process is not in the mesh
        """
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(f"DeviceMesh.get_local_rank(): the mesh has {self.ndim} dimensions; which one?")
            mesh_dim = 0
        d = self._dim(mesh_dim)
        if self._coordinate is None:
            raise RuntimeError(f"DeviceMesh.get_local_rank(): rank {self._rank} is not in the mesh")
        return self._coordinate[d]

    def get_coordinate(self) -> tuple[int, ...] | None:
        """The position of this process.

        Returns:
            its index in each dimension, or None if it is not in the mesh
        """
        return self._coordinate

    def _is_current_rank_part_of_mesh(self) -> bool:
        return self._coordinate is not None

    # --- as a value ---

    def __enter__(self) -> DeviceMesh:
        _mesh_resources.mesh_stack.append(self)
        return self

    def __exit__(self, type: object, value: object, traceback: object) -> None:
        _mesh_resources.mesh_stack.pop()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, DeviceMesh) and self._key == other._key)

    def __repr__(self) -> str:
        if self._names:
            sizes = ", ".join(f"{name}={size}" for name, size in zip(self._names, self.shape))
            return f"DeviceMesh(({sizes}), {self._device_type!r})"
        return f"DeviceMesh({self.shape}, {self._device_type!r})"

    def __reduce__(self) -> Any:
        # The groups stay here: another process has its own.
        return _rebuild, (self._device_type, self._ranks.tolist(), self._names)

    def __copy__(self) -> DeviceMesh:
        return self

    def __deepcopy__(self, memo: Any) -> DeviceMesh:
        return self


def _rebuild(device_type: str, ranks: Any, names: Any) -> DeviceMesh:
    return DeviceMesh(device_type, ranks, mesh_dim_names=names, _init_backend=False)


def init_device_mesh(
    device_type: str, mesh_shape: tuple[int, ...], *, mesh_dim_names: tuple[str, ...] | None = None, backend_override: Any = None
) -> DeviceMesh:  # fmt: skip
    """The mesh of the first ranks of the job, in order. Makes the group of all processes if it is not there.

    Args:
        device_type (str): of the tensors that the processes exchange, "cpu" or "cuda"
        mesh_shape (tuple of int): the sizes of the dimensions
        mesh_dim_names (tuple of str, optional): names of the dimensions
        backend_override (dict, optional): the backends of some dimensions, by their numbers or names: the name of a backend,
            options of one, or a tuple of both. Other dimensions have the backend of the job

    Returns:
        the mesh

    Raises:
        RuntimeError: names that are equal or of another number, more processes than there are, or a backend for a dimension that
            is not there or for one twice

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> torch.distributed.init_device_mesh("cpu", (1,)).get_coordinate()
        (0,)
        >>> torch.distributed.destroy_process_group()
    """
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(f"init_device_mesh(): a name of a dimension is given twice in {tuple(mesh_dim_names)}")
        if len(mesh_dim_names) != len(mesh_shape):
            raise RuntimeError(f"init_device_mesh(): got {len(mesh_dim_names)} names for a mesh of {len(mesh_shape)} dimensions")
    if any(size <= 0 for size in mesh_shape):
        raise RuntimeError(f"init_device_mesh(): expected sizes above 0, got {tuple(mesh_shape)}")
    _check_device_type("init_device_mesh", device_type)
    ranks = torch.arange(math.prod(mesh_shape), dtype=torch.int, device="cpu").reshape(tuple(mesh_shape))
    backends = overrides_by_dim("init_device_mesh", backend_override, len(mesh_shape), mesh_dim_names)
    return DeviceMesh(device_type, ranks, mesh_dim_names=mesh_dim_names, backend_override=backends)
