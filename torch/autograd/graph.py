"""The recorded graph: its edges, and what is done to tensors that it saves."""

from collections import namedtuple

import torch
from torch import _C, _lazy

Node = _C._NodeBase if hasattr(_C, "_NodeBase") else object


class GradientEdge(namedtuple("GradientEdge", ["node", "output_nr", "ownership_token"], defaults=[None])):
    """A place in the graph: the output of a node."""

    __slots__ = ()


def get_gradient_edge(tensor):
    """The edge along which the gradient of `tensor` flows; it keeps the graph without keeping the tensor."""
    if not tensor.requires_grad:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require "
                           "gradients")
    node = tensor.grad_fn
    if node is None:
        with torch.enable_grad():
            node = tensor.view_as(tensor).grad_fn.next_functions[0][0]
    return GradientEdge(node, tensor.output_nr)


class saved_tensors_hooks:
    """Inside, every tensor saved for backward goes through `pack_hook`, and through `unpack_hook` on its way
    back."""

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        _C._autograd._push_saved_tensors_default_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *problem):
        _C._autograd._pop_saved_tensors_default_hooks()


class save_on_cpu(saved_tensors_hooks):
    """Inside, tensors saved for backward wait in CPU memory."""

    def __init__(self, pin_memory=False, device_type="cuda"):
        super().__init__(lambda tensor: (tensor.device, tensor.cpu()), lambda packed: packed[1].to(packed[0]))


class disable_saved_tensors_hooks:
    """Inside, hooks on saved tensors are an error with this message."""

    def __init__(self, error_message):
        self.message = error_message

    def __enter__(self):
        self.before = _C._autograd._saved_tensors_hooks_get_disabled_error_message()
        _C._autograd._saved_tensors_hooks_disable(self.message)

    def __exit__(self, *problem):
        if self.before is None:
            _C._autograd._saved_tensors_hooks_enable()
        else:
            _C._autograd._saved_tensors_hooks_disable(self.before)


def increment_version(tensor):
    """Tell autograd that the tensor's memory was changed behind its back."""
    for each in (tensor,) if isinstance(tensor, torch.Tensor) else tensor:
        _C._increment_version([each])

_lazy.names_what_is_absent(__name__)
