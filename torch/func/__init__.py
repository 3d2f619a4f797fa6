"""Functions of modules without their state: calls with other parameters, and the parameters of several modules stacked."""

from __future__ import annotations

from torch import _lazy
from torch._functorch.functional_call import functional_call, stack_module_state

__all__ = ["functional_call", "stack_module_state"]

_lazy.names_what_is_absent(__name__)
