"""Fake counterparts of real tensors: one for each tensor, and one storage for each storage."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch import _C
from torch._subclasses._fake_errors import UnsupportedFakeTensorException
from torch.utils._python_dispatch import _disable_current_modes, is_traceable_wrapper_subclass, transform_subclass


class FakeTensorConverter:
    """Keeps the fake tensors of real ones, for as long as these live."""

    def __init__(self, *, copy_data: bool = False, export: bool = False) -> None:
        self._tensors: dict[int, tuple[weakref.ref[Any], Any]] = {}
        self._storages: dict[int, list[Any]] = {}  # address -> [meta storage, number of known tensors]

    def known(self, tensor: torch.Tensor) -> Any:
        """The fake tensor of a real one, if there is one."""
        held = self._tensors.get(id(tensor))
        return held[1] if held is not None and held[0]() is tensor else None

    def from_real_tensor(
        self, fake_mode: Any, t: Any, make_constant: bool = False, marks_sizes: bool = False, **unused: Any
    ) -> Any:  # fmt: skip
        """The fake tensor of a real one. With `make_constant`, it keeps a small tensor's value.

        With `marks_sizes`, its sizes are symbols of the mode's ShapeEnv.
        """
        if t.is_quantized or t.layout is not torch.strided:
            raise UnsupportedFakeTensorException(f"fake tensors are dense: the layout is {t.layout}")
        if not make_constant:
            found = self.known(t)
            if found is not None:
                return found
        fake = self._marked(fake_mode, t) if marks_sizes and type(t) in (torch.Tensor, torch.nn.Parameter) else None
        if fake is None:
            fake = self._make(fake_mode, t)
        if make_constant:
            with _disable_current_modes():
                fake.constant = t.detach().clone()
        else:
            self._remember(t, fake)
            if t.is_leaf and t.grad is not None:
                fake.grad = self.from_real_tensor(fake_mode, t.grad)
        return fake

    def from_meta_and_device(self, fake_mode: Any, t: torch.Tensor, device: Any, **unused: Any) -> Any:
        """A fake tensor of a meta tensor's geometry, on a device."""
        return fake_mode._wrap(t, torch.device(device))

    def _make(self, fake_mode: Any, t: Any) -> Any:
        if is_traceable_wrapper_subclass(t):
            return transform_subclass(t, lambda name, inner: self.from_real_tensor(fake_mode, inner))
        with _disable_current_modes():
            base = None if t._base is None or t.is_inference() else self.from_real_tensor(fake_mode, t._base)
            if base is None:
                fake = self._leaf(fake_mode, t)
            else:
                with torch.set_grad_enabled(t.requires_grad):
                    fake = _view_like(base, t)
            if isinstance(t, torch.nn.Parameter):
                fake._is_param = True
            return fake

    def _marked(self, fake_mode: Any, t: Any) -> Any:
        """A fake tensor with marked sizes; None for a tensor whose sizes stay numbers."""
        from torch._subclasses._symbolic_fake import marked_geometry

        with _disable_current_modes(), torch.no_grad():
            geometry = marked_geometry(fake_mode.size_tracer, t) if t.layout is torch.strided else None
            if geometry is None or t.is_conj() or t.is_neg():
                fake_mode.size_tracer.keep_sizes(t)
                return None
            fake = fake_mode._wrap(torch.empty_strided(*geometry, dtype=t.dtype, device="meta"), t.device)
            if t.dim() == 0 and not (t.is_floating_point() or t.is_complex() or t.dtype is torch.bool or t.is_meta):
                fake._input_value = int(t)
        if t.requires_grad:
            fake.requires_grad_(True)
        return fake

    def _leaf(self, fake_mode: Any, t: Any) -> Any:
        meta = torch.empty(0, dtype=t.dtype, device="meta")
        with torch.no_grad():
            meta.set_(self._storage(t), t.storage_offset(), t.size(), t.stride())
            meta = meta.conj() if t.is_conj() else meta
            meta = meta._neg_view() if t.is_neg() else meta
        fake = fake_mode._wrap(meta, t.device)
        if t.requires_grad:
            fake.requires_grad_(True)
            if not t.is_leaf:
                with torch.enable_grad():
                    fake = torch.ops.aten.alias(fake)
        return fake

    def _storage(self, t: torch.Tensor) -> Any:
        real = t.untyped_storage()
        held = self._storages.get(real._cdata)
        if held is None:
            held = self._storages[real._cdata] = [torch.UntypedStorage(real.nbytes(), device="meta"), 0]
        return held[0]

    def _remember(self, t: torch.Tensor, fake: Any) -> None:
        key = id(t)
        address = None
        if not is_traceable_wrapper_subclass(t):
            address = t.untyped_storage()._cdata
            held = self._storages.get(address)
            if held is not None:
                held[1] += 1

        def forget(reference: object) -> None:
            if key in self._tensors and self._tensors[key][0] is reference:
                del self._tensors[key]
            held = self._storages.get(address) if address is not None else None
            if held is not None:
                held[1] -= 1
                if held[1] <= 0:
                    del self._storages[address]

        self._tensors[key] = (weakref.ref(t, forget), fake)


def _view_like(base: Any, t: torch.Tensor) -> Any:
    if base.dtype == t.dtype and base.is_conj() == t.is_conj() and base.is_neg() == t.is_neg():
        return base.as_strided(t.size(), t.stride(), t.storage_offset())
    # A view of another type, or of another sign: the same storage, without the history.
    meta = torch.empty(0, dtype=t.dtype, device="meta")
    with torch.no_grad():
        meta.set_(_C._meta_of_fake(base).untyped_storage(), t.storage_offset(), t.size(), t.stride())
        meta = meta.conj() if t.is_conj() else meta
        meta = meta._neg_view() if t.is_neg() else meta
    return base.fake_mode._wrap(meta, t.device)
