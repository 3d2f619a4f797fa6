"""Functions of modules without their state: calls with other parameters, and the parameters of several modules stacked."""

from __future__ import annotations

from torch import _lazy
from torch._functorch.batch_norm_replacement import replace_all_batch_norm_modules_
from torch._functorch.functional_call import functional_call, stack_module_state

__all__ = ["functional_call", "replace_all_batch_norm_modules_", "stack_module_state"]

_lazy.names_what_is_absent(__name__)
