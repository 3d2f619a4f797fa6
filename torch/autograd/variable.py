"""Variable: since version 0.4 another name for Tensor."""

import torch


class _VariableMeta(type):
    def __instancecheck__(cls, instance):
        return isinstance(instance, torch.Tensor)


class Variable(metaclass=_VariableMeta):
    def __new__(cls, data, requires_grad=False, volatile=False):
        return data.detach().requires_grad_(requires_grad)
