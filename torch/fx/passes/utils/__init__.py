"""Matching of subgraphs, and fusing of nodes into a module of their own."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ("fuser_utils", "matcher_utils"), {
    "lift_subgraph_as_module": "torch.fx.passes.split_utils", "HolderModule": "torch.fx.passes.split_utils",
})  # fmt: skip
