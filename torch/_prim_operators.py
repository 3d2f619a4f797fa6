"""`torch.ops.prim`: the questions that tensors of wrapper classes answer about their device and layout."""

from __future__ import annotations

from typing import Any

from torch._dispatch_library import Registrations

_registrations = Registrations("prim", __file__, 0)


def _device(a: Any) -> Any:
    return a.device


def _layout(a: Any) -> Any:
    return a.layout


for _schema, _function in (("device(Tensor a) -> Device", _device), ("layout(Tensor a) -> Layout", _layout)):
    _registrations.impl(_registrations.define(_schema).split("::")[1], "CompositeExplicitAutograd", _function)
