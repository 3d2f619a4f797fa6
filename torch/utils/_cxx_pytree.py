"""The trees of `torch.utils._pytree`, under the name of the ones that PyTorch writes in C++ with the package optree.

Here there is one kind of tree: its inner loops are in C++ (torch/csrc/Pytree.cpp), and it needs no other package.
"""

from torch.utils._pytree import *  # noqa: F403
from torch.utils._pytree import (  # noqa: F401
    KeyPath,
    PyTreeSpec,
    TreeSpec,
    _broadcast_to_and_flatten,
    _private_register_pytree_node,
    tree_is_leaf,
)
from torch.utils._pytree import __all__ as _names

__all__ = list(_names)
