"""DTensor: a tensor that is spread over the processes of a mesh, and computes as if it were in one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.distributed._mesh_stack import _mesh_resources
from torch.distributed.tensor import _collectives
from torch.distributed.tensor._dtensor_spec import (
    DTensorSpec,
    TensorMeta,
    contiguous_stride,
    local_shape_and_offset,
    normalize,
    position,
)
from torch.distributed.tensor._redistribute import Redistribute, redistribute_local, without_partial
from torch.distributed.tensor._utils import compute_global_tensor_info, on_device_of
from torch.distributed.tensor.placement_types import Partial, Placement, Replicate, Shard

if TYPE_CHECKING:
    from torch.distributed.device_mesh import DeviceMesh


def _mesh(mesh: DeviceMesh | None) -> DeviceMesh:
    return _mesh_resources.get_current_mesh() if mesh is None else mesh


class _FromLocal(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, local: torch.Tensor, spec: DTensorSpec, grad_placements: Any) -> Any:
        ctx.spec, ctx.grad_placements = spec, grad_placements
        return DTensor(local.view_as(local), spec, requires_grad=local.requires_grad)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        target = ctx.grad_placements or without_partial(ctx.spec.placements)
        return redistribute_local(grad._local_tensor, grad._spec, target), None, None


class _ToLocal(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any, grad_placements: Any) -> torch.Tensor:
        ctx.spec, ctx.grad_placements = x._spec, grad_placements
        return x._local_tensor.view_as(x._local_tensor)

    @staticmethod
    def backward(ctx: Any, grad: torch.Tensor) -> Any:
        spec = ctx.spec
        placements = ctx.grad_placements or without_partial(spec.placements)
        meta = TensorMeta(spec.shape, contiguous_stride(spec.shape), grad.dtype)
        return DTensor(grad, DTensorSpec(spec.mesh, placements, meta)), None


class DTensor(torch.Tensor):
    """A tensor over the processes of a mesh. `placements` say, for each dimension of the mesh, what a process has of it.

    `distribute_tensor`, `DTensor.from_local` and the factories of torch.distributed.tensor make them. Operators compute on the
    parts and send what they need; their results are those of the whole tensors.

    Args:
        local_tensor (Tensor): this process's part
        spec (DTensorSpec): the layout
        requires_grad (bool, default False): whether gradients are computed

    Example:
        >>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        >>> from torch.distributed.tensor import DTensor, Shard
        >>> mesh = torch.distributed.init_device_mesh("cpu", (1,))
        >>> x = DTensor.from_local(torch.ones(2, 3), mesh, [Shard(0)])
        >>> x.sum().full_tensor()
        tensor(6.)
        >>> torch.distributed.destroy_process_group()
    """

    _local_tensor: torch.Tensor
    _spec: DTensorSpec

    def __new__(cls, local_tensor: torch.Tensor, spec: DTensorSpec, *, requires_grad: bool = False) -> DTensor:
        if local_tensor.requires_grad and not requires_grad:
            local_tensor = local_tensor.detach()
        meta = spec.meta
        made = torch.Tensor._make_wrapper_subclass(
            cls, meta.shape, strides=meta.stride, dtype=local_tensor.dtype, device=local_tensor.device,
            layout=local_tensor.layout, requires_grad=requires_grad,
        )  # fmt: skip
        made._local_tensor, made._spec = local_tensor, spec
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    @property
    def data(self) -> Any:
        """The tensor without its history; what is assigned replaces the part and the layout."""
        return torch.Tensor.data.__get__(self)  # type: ignore[attr-defined]

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, DTensor):
            raise TypeError(f"DTensor.data: expected a DTensor, got {type(value).__name__}")
        torch.Tensor.data.__set__(self, value)  # type: ignore[attr-defined]
        self._local_tensor, self._spec = value._local_tensor, value._spec

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        from torch.distributed.tensor._dispatch import dispatch

        return dispatch(func, args, kwargs or {})

    def __repr__(self) -> str:  # type: ignore[override]
        return f"DTensor(local_tensor={self._local_tensor}, device_mesh={self._spec.mesh}, placements={self._spec.placements})"

    def __tensor_flatten__(self) -> tuple[list[str], Any]:
        return ["_local_tensor"], (self._spec, self.requires_grad)

    @staticmethod
    def __tensor_unflatten__(inner: dict[str, torch.Tensor], context: Any, size: Any, stride: Any) -> DTensor:
        spec, requires_grad = context
        meta = TensorMeta(torch.Size(size), tuple(stride), spec.meta.dtype)
        return DTensor(inner["_local_tensor"], DTensorSpec(spec.mesh, spec.placements, meta), requires_grad=requires_grad)

    @property
    def device_mesh(self) -> DeviceMesh:
        """The mesh."""
        return self._spec.mesh

    @property
    def placements(self) -> tuple[Placement, ...]:
        """What a process has of the tensor, for each dimension of the mesh."""
        return self._spec.placements

    @staticmethod
    def from_local(
        local_tensor: torch.Tensor, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None, *,
        run_check: bool = False, shape: torch.Size | None = None, stride: tuple[int, ...] | None = None,
        grad_placements: Sequence[Placement] | None = None,
    ) -> DTensor:  # fmt: skip
        """The tensor that consists of what the processes have.

        Args:
            local_tensor (Tensor): this process's part
            device_mesh (DeviceMesh, optional): the mesh; that of the block around the call by default
            placements (list of Placement, optional): whole copies by default
            run_check (bool, default False): send copies of the first process's part where parts are to be equal
            shape (Size, optional): of the whole tensor, needed if parts have different lengths
            stride (tuple of int, optional): of the whole tensor
            grad_placements (list of Placement, optional): of the gradient that comes back

        Returns:
            a DTensor

        Example:
            >>> torch.distributed.tensor.DTensor.from_local.__name__
            'from_local'
        """
        mesh = _mesh(device_mesh)
        if isinstance(local_tensor, DTensor):
            raise RuntimeError("DTensor.from_local(): the tensor is a DTensor already; use redistribute()")
        if not isinstance(local_tensor, torch.Tensor):
            raise TypeError(f"DTensor.from_local(): expected a Tensor, got {type(local_tensor).__name__}")
        places = normalize(placements, mesh, local_tensor.dim(), "DTensor.from_local")
        gradient = None if grad_placements is None else normalize(grad_placements, mesh, local_tensor.dim(), "DTensor.from_local")
        if mesh.get_coordinate() is None:
            raise RuntimeError(f"DTensor.from_local(): this process, rank {mesh.get_rank()}, is not in {mesh}")
        if (shape is None) != (stride is None):
            raise RuntimeError("DTensor.from_local(): give shape and stride, or neither")
        local_tensor = on_device_of(mesh, local_tensor)
        if shape is None:
            size, steps = compute_global_tensor_info(local_tensor, mesh, places)
            shape, stride = torch.Size(size), tuple(steps)
        assert stride is not None
        expected = local_shape_and_offset(shape, mesh, places)[0]
        if tuple(local_tensor.shape) != expected:
            raise ValueError(
                f"DTensor.from_local(): this process's part of a tensor of shape {tuple(shape)} with {places} has the shape "
                f"{expected}, got {tuple(local_tensor.shape)}"
            )
        if run_check:
            for i, p in enumerate(places):
                if isinstance(p, Replicate):
                    with torch.no_grad():
                        local_tensor.data = _collectives.send_whole(local_tensor, mesh, i, 0)
        spec = DTensorSpec(mesh, places, TensorMeta(torch.Size(shape), tuple(stride), local_tensor.dtype))
        return _FromLocal.apply(local_tensor, spec, gradient)

    def to_local(self, *, grad_placements: Sequence[Placement] | None = None) -> torch.Tensor:
        """This process's part.

        Args:
            grad_placements (list of Placement, optional): of the gradient that comes back; those of the tensor by default

        Returns:
            a plain tensor

        Example:
            >>> torch.distributed.tensor.DTensor.to_local.__name__
            'to_local'
        """
        if not torch.is_grad_enabled():
            return self._local_tensor
        gradient = None if grad_placements is None else normalize(grad_placements, self.device_mesh, self.dim(), "to_local")
        return _ToLocal.apply(self, gradient)

    def redistribute(
        self, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None, *, async_op: bool = False,
        forward_dtype: torch.dtype | None = None, backward_dtype: torch.dtype | None = None,
    ) -> DTensor:  # fmt: skip
        """The same tensor in another layout.

        Args:
            device_mesh (DeviceMesh, optional): the mesh that it has
            placements (list of Placement): the layout
            async_op (bool, default False): of no effect; the result is complete
            forward_dtype (dtype, optional): the result's
            backward_dtype (dtype, optional): in which the gradient is sent

        Returns:
            a DTensor

        Raises:
            RuntimeError: no placements, or a sum that is to be spread in a Partial
            NotImplementedError: another mesh

        Example:
            >>> torch.distributed.tensor.DTensor.redistribute.__name__
            'redistribute'
        """
        mesh = device_mesh or self.device_mesh
        if mesh != self.device_mesh:
            raise NotImplementedError("redistribute(): tensors do not move between meshes; make a new one from full_tensor()")
        if placements is None:
            raise RuntimeError("redistribute(): expected placements")
        target = normalize(placements, mesh, self.dim(), "redistribute")
        for a, b in zip(self.placements, target):
            if b.is_partial() and a != b:
                raise RuntimeError(f"redistribute(): {a} cannot become {b}")
        return Redistribute.apply(self, mesh, target, forward_dtype, backward_dtype)

    def full_tensor(self, *, grad_placements: Sequence[Placement] | None = None) -> torch.Tensor:
        """The whole tensor, on every process.

        Args:
            grad_placements (list of Placement, optional): of the gradient that comes back; whole by default

        Returns:
            a plain tensor

        Example:
            >>> torch.distributed.tensor.DTensor.full_tensor.__name__
            'full_tensor'
        """
        whole = self.redistribute(placements=[Replicate()] * self.device_mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)

    def __create_chunk_list__(self) -> list[Any]:
        from torch.distributed.checkpoint.metadata import ChunkStorageMetadata

        sizes, offsets = local_shape_and_offset(self.shape, self.device_mesh, self.placements)
        return [ChunkStorageMetadata(torch.Size(offsets), torch.Size(sizes))]


def distribute_tensor(
    tensor: torch.Tensor, device_mesh: DeviceMesh | None = None, placements: Sequence[Placement] | None = None, *,
    src_data_rank: int | None = 0,
) -> DTensor:  # fmt: skip
    """Spreads a tensor that all processes have over a mesh.

    Args:
        tensor (Tensor): the tensor, a leaf of autograd
        device_mesh (DeviceMesh, optional): the mesh; that of the block around the call by default
        placements (list of Placement, optional): the layout; whole copies by default
        src_data_rank (int or None, default 0): the process along each dimension whose values count; None: each process takes
            its part of its own tensor, and nothing is sent

    Returns:
        a DTensor

    Raises:
        ValueError: placements of another number than the mesh has dimensions
        RuntimeError: the tensor is no leaf

    Example:
        >>> torch.distributed.tensor.distribute_tensor.__name__
        'distribute_tensor'
    """
    mesh = _mesh(device_mesh)
    places = normalize(placements, mesh, tensor.dim(), "distribute_tensor")
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh or tensor.placements != places:
            raise ValueError(
                f"distribute_tensor(): the tensor has {tensor.placements} on {tensor.device_mesh} already; use redistribute()"
            )
        return tensor
    if not tensor.is_leaf:
        raise RuntimeError("distribute_tensor(): the tensor is no leaf of autograd; use DTensor.from_local()")
    where = position(mesh)
    local = on_device_of(mesh, tensor.detach())
    from torch.distributed.tensor._dtensor_spec import sharding_order

    order = sharding_order(places)
    for i in [*(j for j in range(mesh.ndim) if j not in order), *order]:
        p = places[i]
        if isinstance(p, Shard):
            if src_data_rank is None:
                local = _collectives.cut(local, mesh, i, p.dim, where[i])
            else:
                local = _collectives.send_parts(local, mesh, i, p.dim, src_data_rank)
        else:
            if src_data_rank is not None:
                local = _collectives.send_whole(local, mesh, i, src_data_rank)
            if isinstance(p, Partial):
                local = _collectives.as_partial(local, mesh, i, p)
    if mesh.size() > 1 and local.data_ptr() == tensor.data_ptr() and local.numel():
        local = local.clone()
    meta = TensorMeta(tensor.shape, tensor.stride(), tensor.dtype)
    made = DTensor(local.contiguous() if order else local, DTensorSpec(mesh, places, meta), requires_grad=tensor.requires_grad)
    if isinstance(tensor, torch.nn.Parameter):
        return torch.nn.Parameter(made, requires_grad=tensor.requires_grad)  # type: ignore[return-value]
    return made


def distribute_module(
    module: torch.nn.Module, device_mesh: DeviceMesh | None = None, partition_fn: Callable[..., None] | None = None,
    input_fn: Callable[..., Any] | None = None, output_fn: Callable[..., Any] | None = None,
) -> torch.nn.Module:  # fmt: skip
    """Spreads the parameters and buffers of a module over a mesh.

    Args:
        module (Module): the module
        device_mesh (DeviceMesh, optional): the mesh; that of the block around the call by default
        partition_fn (Callable, optional): takes (name, submodule, mesh), and replaces parameters; the others become whole copies
        input_fn (Callable, optional): takes (module, inputs, mesh), and returns the inputs of the forward pass
        output_fn (Callable, optional): takes (module, outputs, mesh), and returns the result of the forward pass

    Returns:
        the module

    Example:
        >>> torch.distributed.tensor.distribute_module.__name__
        'distribute_module'
    """
    mesh = _mesh(device_mesh)
    if getattr(module, "_distribute_module_applied", False):
        raise RuntimeError("distribute_module(): the module was distributed before")
    for name, child in module.named_modules():
        if partition_fn is not None:
            partition_fn(name, child, mesh)
        whole = [Replicate()] * mesh.ndim
        for key, param in list(child._parameters.items()):
            if param is not None and not isinstance(param, DTensor):
                made = distribute_tensor(param.detach(), mesh, whole)
                child.register_parameter(key, torch.nn.Parameter(made, requires_grad=param.requires_grad))
        for key, buffer in list(child._buffers.items()):
            if buffer is not None and not isinstance(buffer, DTensor):
                child._buffers[key] = distribute_tensor(buffer, mesh, whole)
    if input_fn is not None:
        module.register_forward_pre_hook(lambda mod, inputs: input_fn(mod, inputs, mesh))
    if output_fn is not None:
        module.register_forward_hook(lambda mod, inputs, outputs: output_fn(mod, outputs, mesh))
    module._distribute_module_applied = True  # type: ignore[assignment]
    return module


def _allow_loading() -> None:
    """torch.load takes DTensors without being told to trust the file: they are layouts and plain tensors."""
    from torch._utils import _rebuild_wrapper_subclass
    from torch.distributed.device_mesh import DeviceMesh, _rebuild
    from torch.distributed.tensor.placement_types import _StridedShard
    from torch.serialization._safe_globals import allow_own

    allow_own([
        DTensor, DTensorSpec, TensorMeta, DeviceMesh, _rebuild, _rebuild_wrapper_subclass, Partial, Replicate, Shard,
        _StridedShard,
    ])  # fmt: skip


_allow_loading()
