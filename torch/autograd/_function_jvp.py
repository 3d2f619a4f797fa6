"""Custom functions of dual tensors: forward computes the results, jvp their tangents."""

from __future__ import annotations

from typing import Any

import torch
import torch.autograd.forward_ad as fwAD


def is_dual(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and fwAD.unpack_dual(x).tangent is not None


def apply_dual(cls: Any, args: tuple, kwargs: dict) -> Any:
    """Runs forward on the primals and jvp on the tangents, None for arguments that have none."""
    seen = []

    def forward(ctx, *inputs, **options):
        seen.append(ctx)
        return cls.forward(ctx, *inputs, **options)

    def setup_context(ctx, inputs, output):
        seen.append(ctx)
        return cls.setup_context(ctx, inputs, output)

    whole = cls.setup_context is torch.autograd.Function.setup_context
    watched = {"forward": staticmethod(forward)} if whole else {"setup_context": staticmethod(setup_context)}
    duals = [fwAD.unpack_dual(a) if is_dual(a) else None for a in args]
    primals = [a if dual is None else dual.primal for a, dual in zip(args, duals)]
    tangents = [None if dual is None else dual.tangent for dual in duals]
    with fwAD._set_fwd_grad_enabled(False):
        outputs = type(cls)(cls.__name__, (cls,), watched).apply(*primals, **kwargs)
    derived = cls.jvp(seen[0], *tangents)
    if not isinstance(outputs, tuple):
        return _dual(outputs, derived[0] if isinstance(derived, tuple) else derived)
    if not isinstance(derived, tuple) or len(derived) != len(outputs):
        raise RuntimeError(f"{cls.__name__}.jvp returned {_count(derived)} for the {len(outputs)} outputs of forward")
    return tuple(map(_dual, outputs, derived))


def _count(derived: Any) -> str:
    return f"{len(derived)} tangents" if isinstance(derived, tuple) else "one tangent"


def _dual(output: Any, tangent: torch.Tensor | None) -> Any:
    return output if tangent is None else fwAD.make_dual(output, tangent)
