"""Compares forward-mode derivatives with finite differences, for gradcheck."""

from __future__ import annotations

import torch
import torch.autograd.forward_ad as fwAD
from torch.autograd.gradcheck import GradcheckError, _differentiable, _outputs, _units
from torch.testing._comparison import allclose_message


def _tangents(function, inputs, x, direction):
    """The tangents of the outputs where x moves along a direction."""
    with fwAD.dual_level():
        found = _outputs(function, [fwAD.make_dual(t, direction) if t is x else t for t in inputs])
        pairs = [fwAD.unpack_dual(y) for y in found]
    return [torch.zeros_like(y) if t is None else t for y, t in pairs]


def check_forward(function, inputs, rows, atol, rtol):
    """Raises GradcheckError unless the tangents agree with the differences.

    rows: for each differentiable input and each of its elements, the derivatives of the outputs along the element and, for
    complex inputs, along i times the element."""
    for j, (x, elements) in enumerate(zip(_differentiable(inputs), rows)):
        for k, differences in enumerate(elements):
            for unit, expected in zip(_units(x), differences):
                direction = torch.zeros(x.numel(), dtype=x.dtype, device=x.device)
                direction[k] = unit
                for i, (tangent, difference) in enumerate(zip(_tangents(function, inputs, x, direction.view(x.shape)), expected)):
                    tangent = tangent.detach()
                    if not torch.allclose(tangent, difference, rtol, atol):
                        raise GradcheckError(
                            f"forward mode: the derivative of output {i} along element {k} of input {j} is not what the "
                            f"differences say\nnumerical:{difference}\nanalytical:{tangent}\n"
                            + allclose_message(tangent, difference)
                        )
