"""Differences that are known and wanted, each with its reason. What no entry explains is a finding.

The operators of a gradient's difference are those of the smallest program that shows it, in order.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass
class Known:
    reason: str
    kind: str = ".*"  # all three are regular expressions that match the whole
    op: str = ".*"
    said: str = ".*"

    def explains(self, d):
        return all(re.fullmatch(p, s, re.S) for p, s in ((self.kind, d.kind), (self.op, d.op), (self.said, d.said)))


def among(*names):
    """Programs with one of these operators, in place or not."""
    return rf"(.* )?({'|'.join(names)})_?( .*)?"


ERRORS = (
    Known("The operator is not here yet, and says so.", said=r"NotImplementedError / .*does not have it yet.*"),
    Known("PyTorch has no kernel for the type; this library has.", said=r"takes it / \w+: .*not (implemented|supported).*"),
    Known("Both refuse; NotImplementedError is a RuntimeError.",
            said=r"(NotImplementedError / RuntimeError|RuntimeError / NotImplementedError): .*"),
    Known("A source that shares memory with the target is copied first; PyTorch refuses it.",
          said=r"takes it / RuntimeError: .*refer to a single memory location.*"),
    Known("Backward formulas that need less: PyTorch saves a tensor that this library does not.",
          said=r"takes it / RuntimeError: .*has been modified by an inplace operation.*"),
    Known("The derivative exists here.",
          said=r"takes it / RuntimeError: .*(is not differentiable with respect to argument|derivative for .* is not implemented"
          r"|does not support automatic differentiation for outputs with complex dtype).*"),
    Known("Refused; PyTorch leaves the frequencies out.", said=r".*double backward for embedding with scale_grad_by_freq.*"),
    Known("Writing by mask into an expanded tensor depends on the order of the writes.", op="setitem|masked_fill_|index_put_",
          said=r"RuntimeError / takes it: .*more than one element of the written-to tensor.*"),
    Known("clamp between tensors that make the result larger: PyTorch's gradient of the bounds fails.", op=among("clamp"),
          said=r"takes it / RuntimeError: .*doesn't match the broadcast shape.*"),
)  # fmt: skip

NUMBERS = (
    Known("Complex infinities: which part becomes NaN depends on the vector path, in PyTorch too.", "values|gradients",
          said=r".*complex\d+.*: \[\d+\] .*\b(nan|inf)\b.*"),
    Known("Outside its domain acosh is NaN, and its gradient too; PyTorch's formula has numbers there.", "gradients",
            among("acosh"),
          r".*\bnan / .*"),
    Known("At the poles of digamma and trigamma stands the limit; PyTorch has a large number.", "values|gradients",
          among("digamma", "polygamma"), r".*\binf\b.*"),
    Known("cumprod's gradient is taken by products, not quotients, so that overflow stays where it is.", "gradients",
            among("cumprod"),
          r".*\b(inf|nan)\b.*"),
    Known("nanmean of nothing but NaN passes no gradient on; PyTorch passes NaN.", "gradients", among("nanmean"), r".* / nan.*"),
    Known("A quotient by infinity has the second derivative 0; PyTorch multiplies 0 by infinity.", "gradients", among("addcdiv"),
          r".* / nan.*"),
    Known("hardsigmoid's slope is a sixth in float64; PyTorch's is rounded to float32.", "gradients",
            among("hardsigmoid"), r".*float64.*"),
    Known("The sign of a NaN is nobody's promise.", "values", "copysign_?|signbit"),
    Known("The loss does not overflow where its exponential does.", "values", "soft_margin_loss", r".* / inf.*"),
)  # fmt: skip

LAYOUT = (
    Known("Only views return views; PyTorch's composites return views of their temporaries.", "is-view",
          "einsum|inner|tensordot|repeat_interleave|kron|cdist|conv.*|diff", "False / True"),
    Known("Conjugation is carried out at once.", "is-view|memory|strides", "conj"),
)  # fmt: skip

CRASHES = (Known("PyTorch crashes; this library runs.", "crash", said="runs / .*"),)

KNOWN = (*CRASHES, *(Known(k.reason, "error", k.op, k.said) for k in ERRORS), *NUMBERS, *LAYOUT)


def reason(difference):
    return next((k.reason for k in KNOWN if k.explains(difference)), None)
