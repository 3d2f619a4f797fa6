"""Layers that multiply by a weight."""

from __future__ import annotations

import math

from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.modules.module import Module
from torch.nn.parameter import UninitializedParameter, is_lazy

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    import torch
    from torch import Tensor
    from torch.nn.parameter import Parameter
    from torch.types import Device
else:  # typing.get_type_hints() of classes needs them
    from torch.nn.parameter import Parameter


_linear = F.linear


class Identity(Module):
    """Returns its input.

    Args:
        *args (Any): ignored
        **kwargs (Any): ignored

    Shape:
        any, which stays

    Example:
        >>> nn.Identity(54)(torch.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """`x @ weight.T + bias`: every output is a weighted sum of the inputs.

    Args:
        in_features (int): last size of the input
        out_features (int): last size of the result
        bias (bool, default True): whether a number is added to each output
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (*, in_features) to (*, out_features)

    Attributes:
        weight: (out_features, in_features), drawn uniformly from `+-1 / sqrt(in_features)`
        bias: (out_features), drawn likewise, or None

    Raises:
        RuntimeError: the last size of an input is not in_features

    Example:
        >>> nn.Linear(4, 2)(torch.ones(3, 4)).shape
        torch.Size([3, 2])
    """

    in_features: int
    out_features: int
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = empty_parameter((out_features, in_features), device, dtype)
        self.register_parameter("bias", empty_parameter(out_features, device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias anew, uniformly from `+-1 / sqrt(in_features)`.

        Example:
            >>> nn.Linear(1, 1).reset_parameters()
        """
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            inputs = self.weight.size(1)
            bound = 1 / math.sqrt(inputs) if inputs else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        return _linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear that quantisation passes over: the output projection of attention.

    Args:
        in_features (int): last size of the input
        out_features (int): last size of the result
        bias (bool, default True): whether a number is added to each output
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (*, in_features) to (*, out_features)

    Example:
        >>> nn.NonDynamicallyQuantizableLinear(4, 2)(torch.ones(3, 4)).shape
        torch.Size([3, 2])
    """


class Bilinear(Module):
    """`x1 @ weight[k] @ x2 + bias[k]` for each output k.

    Args:
        in1_features (int): last size of the first input
        in2_features (int): last size of the second
        out_features (int): last size of the result
        bias (bool, default True): whether a number is added to each output
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (*, in1_features) and (*, in2_features) to (*, out_features)

    Attributes:
        weight: (out_features, in1_features, in2_features), drawn uniformly from `+-1 / sqrt(in1_features)`
        bias: (out_features), drawn likewise, or None

    Raises:
        ValueError: in1_features is not positive

    Example:
        >>> nn.Bilinear(2, 3, 4)(torch.ones(5, 2), torch.ones(5, 3)).shape
        torch.Size([5, 4])
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got {in1_features}")
        self.in1_features, self.in2_features, self.out_features = in1_features, in2_features, out_features
        self.weight = empty_parameter((out_features, in1_features, in2_features), device, dtype)
        self.register_parameter("bias", empty_parameter(out_features, device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias anew, uniformly from `+-1 / sqrt(in1_features)`.

        Example:
            >>> nn.Bilinear(1, 1, 1).reset_parameters()
        """
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear that takes in_features from its first input, and then is one.

    Args:
        out_features (int): last size of the result
        bias (bool, default True): whether a number is added to each output
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (*, any) to (*, out_features)

    Example:
        >>> m = nn.LazyLinear(2)
        >>> m(torch.ones(3, 4)).shape
        torch.Size([3, 2])
        >>> m
        Linear(in_features=4, out_features=2, bias=True)
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Device = None, dtype: torch.dtype | None = None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draws weight and bias anew; nothing before the first input.

        Example:
            >>> nn.LazyLinear(1).reset_parameters()
        """
        if not is_lazy(self.weight) and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Gives weight and bias shapes and values.

        Args:
            input (Tensor): the first input
            *args (Any): not read
            **kwargs (Any): not read

        Example:
            >>> m = nn.LazyLinear(2)
            >>> m.initialize_parameters(torch.ones(1, 3))
            >>> m.weight.shape
            torch.Size([2, 3])
        """
        if not is_lazy(self.weight):  # it was loaded
            self.in_features = self.weight.shape[1]
        else:
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            Linear.reset_parameters(self)


__all__ = ["Identity", "Linear", "NonDynamicallyQuantizableLinear", "Bilinear", "LazyLinear"]
