"""One step of the recurrent layers."""

from __future__ import annotations

import math

import torch
from torch.nn import init
from torch.nn.modules._shared import VF, empty_parameter
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.nn.parameter import Parameter
    from torch.types import Device


class RNNCellBase(Module):
    """What single steps of recurrent layers share: settings and weights.

    Args:
        input_size (int): width of the input
        hidden_size (int): width of the state
        bias (bool): whether there are biases
        num_chunks (int): gates, each with hidden_size rows of the weights
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Attributes:
        weight_ih, weight_hh: (num_chunks * hidden_size, input_size) and (num_chunks * hidden_size, hidden_size)
        bias_ih, bias_hh: (num_chunks * hidden_size), or None

    Example:
        >>> nn.RNNCellBase(4, 3, bias=True, num_chunks=2).weight_ih.shape
        torch.Size([6, 4])
    """

    input_size: int
    hidden_size: int
    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = empty_parameter((rows, input_size), device, dtype)
        self.weight_hh = empty_parameter((rows, hidden_size), device, dtype)
        self.register_parameter("bias_ih", empty_parameter(rows, device, dtype) if bias else None)
        self.register_parameter("bias_hh", empty_parameter(rows, device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all weights and biases anew, uniformly from `+-1 / sqrt(hidden_size)`.

        Example:
            >>> nn.GRUCell(1, 1).reset_parameters()
        """
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _step(self, operator: Any, input: Tensor, hx: Tensor | None, parts: int) -> Any:
        """Run `operator` on a batch of one if the input has no batch, and on zeros if there is no state."""
        name = self._get_name()
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        batched = input.dim() == 2
        x = input if batched else input.unsqueeze(0)
        if hx is None:
            zeros = torch.zeros(x.size(0), self.hidden_size, dtype=x.dtype, device=x.device)
            state = [zeros] * parts
        else:
            state = [hx] if parts == 1 or isinstance(hx, torch.Tensor) else list(hx)
            for part in state:
                if part.dim() not in (1, 2):
                    raise ValueError(f"{name}: Expected hidden to be 1D or 2D, got {part.dim()}D instead")
            state = state if batched else [part.unsqueeze(0) for part in state]
        # The operator refuses a tensor in place of a pair.
        out = operator(x, state if len(state) == 2 else state[0], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if batched:
            return out
        return tuple(part.squeeze(0) for part in out) if parts == 2 else out.squeeze(0)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias else f", bias={self.bias}"
        return text + (f", nonlinearity={self.nonlinearity}" if self.__dict__.get("nonlinearity", "tanh") != "tanh" else "")


class RNNCell(RNNCellBase):
    """One step of RNN: `h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`, or relu for tanh.

    Args:
        input_size (int): width of the input
        hidden_size (int): width of the state
        bias (bool, default True): whether there are biases
        nonlinearity (str, default "tanh"): 'tanh' or 'relu'
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, input_size) and (N, hidden_size) to (N, hidden_size), or all without N

    Example:
        >>> nn.RNNCell(4, 3)(torch.ones(2, 4)).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        operators = {"tanh": VF.rnn_tanh_cell, "relu": VF.rnn_relu_cell}
        if self.nonlinearity not in operators:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(operators[self.nonlinearity], input, hx, 1)


class LSTMCell(RNNCellBase):
    """One step of LSTM.

    Args:
        input_size (int): width of the input
        hidden_size (int): width of the state
        bias (bool, default True): whether there are biases
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, input_size) and a pair of (N, hidden_size) to such a pair, or all without N

    Example:
        >>> h, c = nn.LSTMCell(4, 3)(torch.ones(2, 4))
        >>> h.shape, c.shape
        (torch.Size([2, 3]), torch.Size([2, 3]))
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        return self._step(VF.lstm_cell, input, hx, 2)


class GRUCell(RNNCellBase):
    """One step of GRU.

    Args:
        input_size (int): width of the input
        hidden_size (int): width of the state
        bias (bool, default True): whether there are biases
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (N, input_size) and (N, hidden_size) to (N, hidden_size), or all without N

    Example:
        >>> nn.GRUCell(4, 3)(torch.ones(2, 4)).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        return self._step(VF.gru_cell, input, hx, 1)


__all__ = ["RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]
