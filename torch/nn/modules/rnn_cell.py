"""One step of the recurrent layers."""

import math

import torch
from torch.nn import init
from torch.nn.modules._shared import VF, empty_parameter
from torch.nn.modules.module import Module


class RNNCellBase(Module):
    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size, self.hidden_size, self.bias = input_size, hidden_size, bias
        rows = num_chunks * hidden_size
        self.weight_ih = empty_parameter((rows, input_size), device, dtype)
        self.weight_hh = empty_parameter((rows, hidden_size), device, dtype)
        self.register_parameter("bias_ih", empty_parameter(rows, device, dtype) if bias else None)
        self.register_parameter("bias_hh", empty_parameter(rows, device, dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self):
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _step(self, operator, input, hx, parts):
        """Run `operator` on a batch of one where there is none, and on zeros where there is no state."""
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
        # A tensor where a pair belongs is the operator's to refuse.
        out = operator(x, state if len(state) == 2 else state[0], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if batched:
            return out
        return tuple(part.squeeze(0) for part in out) if parts == 2 else out.squeeze(0)

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        text += "" if self.bias else f", bias={self.bias}"
        return text + (f", nonlinearity={self.nonlinearity}" if self.__dict__.get("nonlinearity", "tanh") != "tanh" else "")


class RNNCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        operators = {"tanh": VF.rnn_tanh_cell, "relu": VF.rnn_relu_cell}
        if self.nonlinearity not in operators:
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(operators[self.nonlinearity], input, hx, 1)


class LSTMCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        return self._step(VF.lstm_cell, input, hx, 2)


class GRUCell(RNNCellBase):
    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step(VF.gru_cell, input, hx, 1)


__all__ = ["RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]
