"""One parameter of a sharded module: its part in this process, and the whole one while the module computes.

Autograd keeps the whole parameter between forward and backward. So its memory is freed and filled again, and the tensor object
stays: `alloc` and `free` change the size of its storage.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.distributed.fsdp._parts import Parts
from torch.distributed.tensor._api import DTensor
from torch.distributed.tensor._dtensor_spec import DTensorSpec, TensorMeta, contiguous_stride
from torch.distributed.tensor._redistribute import redistribute_local
from torch.distributed.tensor.placement_types import Placement, Replicate, Shard, _StridedShard


class FSDPParam:
    """See above. `owners` are the modules that have the parameter, with its name there."""

    def __init__(
        self, param: nn.Parameter, owners: list[tuple[nn.Module, str]], mesh: Any, shard_dim: int | None, placement: Shard,
        mp_policy: Any,
    ) -> None:  # fmt: skip
        self.owners, self.mesh, self.requires_grad = owners, mesh, param.requires_grad
        self.attributes = {k: v for k, v in vars(param).items() if k not in ("_local_tensor", "_spec")}
        self.name = ""  # the path in the root module, for errors
        self.tp_spec: DTensorSpec | None = None
        whole = param.detach()
        if isinstance(param, DTensor):
            self.tp_spec, whole = param._spec, param._local_tensor
        self.dim = placement.dim % max(whole.dim(), 1)
        if whole.dim() == 0:
            raise ValueError("fully_shard(): a parameter without dimensions cannot be cut; give it one, of 1 element")
        self.shape, self.dtype = whole.shape, whole.dtype
        index, count = (0, 1) if shard_dim is None else (mesh.get_local_rank(shard_dim), mesh.size(shard_dim))
        self.spec = self._sharded_spec(param, mesh, shard_dim)
        self.parts = Parts(self.shape, self.dim, count, index)
        local = self.parts.own(whole)
        # The parts between forward and backward, if they are others.
        self.inner_parts: Parts | None = None
        self.inner: nn.Parameter | None = None
        self.sharded = nn.Parameter(DTensor(local, self.spec), requires_grad=self.requires_grad)
        vars(self.sharded).update(self.attributes)
        self.compute_dtype = mp_policy.param_dtype if mp_policy.param_dtype and self.dtype.is_floating_point else self.dtype
        self.unsharded: nn.Parameter | None = None
        self.storage: Any = None
        self.put(self.sharded)

    def _sharded_spec(self, param: nn.Parameter, mesh: Any, shard_dim: int | None) -> DTensorSpec:
        own: list[Placement] = [Shard(self.dim) if i == shard_dim else Replicate() for i in range(mesh.ndim)]
        meta = TensorMeta(param.shape, contiguous_stride(param.shape), param.dtype)
        if self.tp_spec is None:
            return DTensorSpec(mesh, own, meta)
        from torch.distributed.device_mesh import DeviceMesh

        tp = self.tp_spec
        both = DeviceMesh._concatenate([mesh, tp.mesh])
        if shard_dim is not None:
            parts = 1
            for i, p in enumerate(tp.placements):
                if isinstance(p, Shard) and p.dim == self.dim:
                    parts *= tp.mesh.size(i)
            if parts > 1:
                own[shard_dim] = _StridedShard(self.dim, parts)
        return DTensorSpec(both, [*own, *tp.placements], meta)

    def put(self, param: nn.Parameter) -> None:
        for module, name in self.owners:
            module._parameters[name] = param

    def take_back(self) -> None:
        """Takes the parameter from the module, where `Module.to` or the like has replaced it."""
        module, name = self.owners[0]
        current = module._parameters[name]
        if not isinstance(current, DTensor):
            raise RuntimeError(f"fully_shard(): the parameter {self.name!r} was replaced by one that is no DTensor")
        if current is self.sharded and current.dtype == self.dtype:
            return
        if self.compute_dtype == self.dtype:
            self.compute_dtype = current.dtype
        self.sharded, self.dtype, self.spec, self.unsharded = current, current.dtype, current._spec, None
        self.put(current)

    @property
    def local(self) -> torch.Tensor:
        """This process's part."""
        return self.sharded._local_tensor  # type: ignore[attr-defined]

    def send(self) -> torch.Tensor:
        """The part as it is sent: in the dtype of computing, filled up."""
        return self.parts.filled(self.local.detach()).to(self.compute_dtype)

    def send_inner(self) -> torch.Tensor:
        """The part between forward and backward, as it is sent."""
        assert self.inner_parts is not None and self.inner is not None
        return self.inner_parts.filled(self.inner._local_tensor.detach())  # type: ignore[attr-defined]

    def keep_inner(self, mesh: Any) -> None:
        """Puts the part along the last dimension of a mesh of 2 into the module, and frees the whole parameter."""
        if self.inner_parts is None:
            self.inner_parts = Parts(self.shape, self.dim, mesh.size(1), mesh.get_local_rank(1))
        meta = TensorMeta(self.shape, contiguous_stride(self.shape), self.compute_dtype)
        local = DTensor(self.inner_parts.own(self._whole()), DTensorSpec(mesh, [Replicate(), Shard(self.dim)], meta))
        self.inner = nn.Parameter(local, requires_grad=self.requires_grad)
        self.put(self.inner)
        self.free()

    def fill(self, rows: torch.Tensor, parts: Parts) -> None:
        """Makes the whole parameter out of all parts, one row each."""
        if self.unsharded is None:
            own = {"dtype": self.compute_dtype, "device": rows.device}
            if self.dim == 0:
                whole = torch.empty(self.parts.total, **own).as_strided(self.shape, contiguous_stride(self.shape))
            else:
                whole = torch.empty(self.shape, **own)
            self.storage = whole.untyped_storage()
            self.bytes = self.storage.nbytes()
            if self.tp_spec is not None:
                spec = self.tp_spec
                meta = TensorMeta(spec.shape, contiguous_stride(spec.shape), self.compute_dtype)
                whole = DTensor(whole, DTensorSpec(spec.mesh, spec.placements, meta))
            self.unsharded = nn.Parameter(whole, requires_grad=self.requires_grad)
            vars(self.unsharded).update(self.attributes)
        elif self.storage.nbytes() == 0:
            self.storage.resize_(self.bytes)
        # What is written here has a version of its own: autograd must not take it for a change of the parameter.
        parts.join(rows, self._whole().data)

    def _whole(self) -> torch.Tensor:
        assert self.unsharded is not None
        return self.unsharded._local_tensor if isinstance(self.unsharded, DTensor) else self.unsharded

    def free(self) -> None:
        if self.storage is not None and self.storage.nbytes():
            self.storage.resize_(0)

    def take_gradient(self) -> torch.Tensor | None:
        """The whole gradient, which the parameter gives up."""
        if self.unsharded is None or self.unsharded.grad is None:
            return None
        grad: Any = self.unsharded.grad
        self.unsharded.grad = None
        if self.tp_spec is not None and isinstance(grad, DTensor):
            grad = redistribute_local(grad._local_tensor, grad._spec, self.tp_spec.placements)
        return grad

    def rows(self, grad: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
        """A gradient as parts, one row each, filled up."""
        return self.parts.rows(grad).to(dtype)

    def add_gradient(self, row: torch.Tensor, dtype: torch.dtype | None = None) -> None:
        """Adds this process's part of the summed gradient, in the dtype of the parameter if no other is given."""
        part = row.view(self.parts.part_shape).narrow(self.dim, 0, self.local.size(self.dim))
        own = part.to(dtype or self.dtype)
        own = own.contiguous() if self.dim else own.clone()
        if self.sharded.grad is None:
            if own.dtype != self.dtype:
                self.sharded.grad_dtype = None  # takes gradients of any
            meta = self.spec.meta._replace(dtype=own.dtype)
            self.sharded.grad = DTensor(own, DTensorSpec(self.spec.mesh, self.spec.placements, meta))
        else:
            self.sharded.grad._local_tensor += own  # type: ignore[attr-defined]
