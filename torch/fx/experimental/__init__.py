"""Questions of packages about recorders of graphs, of which there are none."""

from torch import _lazy

__getattr__, __dir__ = _lazy.lazy(__name__, ("proxy_tensor", "symbolic_shapes"))
