"""Passes over graphs: shapes, splitting, drawing, matching, and the machinery to run them in order."""

from torch import _lazy

_SUBMODULES = (
    "fake_tensor_prop graph_drawer graph_manipulation infra operator_support param_fetch pass_manager shape_prop split_module "
    "split_utils tools_common utils"
).split()
__getattr__, __dir__ = _lazy.lazy(__name__, _SUBMODULES)
