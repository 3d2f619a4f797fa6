"""Transforms of functions: batches (vmap), derivatives (grad, vjp, jvp, jacrev, jacfwd, hessian), and modules without state.

>>> per_sample = torch.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))  # doctest: +SKIP
"""

from __future__ import annotations

from torch import _lazy
from torch._functorch.apis import grad, grad_and_value, vmap
from torch._functorch.batch_norm_replacement import replace_all_batch_norm_modules_
from torch._functorch.batched import debug_unwrap
from torch._functorch.eager_transforms import jvp, linearize, vjp
from torch._functorch.functional_call import functional_call, stack_module_state
from torch._functorch.functionalize import functionalize
from torch._functorch.jacobians import hessian, jacfwd, jacrev
from torch._functorch.rearrange import rearrange

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp",
    "linearize", "rearrange", "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]  # fmt: skip

_lazy.names_what_is_absent(__name__)
