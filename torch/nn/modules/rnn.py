"""Recurrent layers."""

import math
import warnings

import torch
from torch.nn import init
from torch.nn.modules._shared import VF, empty_parameter
from torch.nn.modules.module import Module

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """Weights of stacked, possibly bidirectional, layers, named as in state_dicts: weight_ih_l0,
    ..._reverse."""

    def __init__(
        self,
        mode,
        input_size,
        hidden_size,
        num_layers=1,
        bias=True,
        batch_first=False,
        dropout=0.0,
        bidirectional=False,
        proj_size=0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                "dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}"
            )
        if not isinstance(hidden_size, int):
            raise TypeError(f"hidden_size should be of type int, got: {type(hidden_size).__name__}")
        if hidden_size <= 0:
            raise ValueError("hidden_size must be greater than zero")
        if num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if proj_size < 0:
            raise ValueError("proj_size should be a positive integer or zero to disable projections")
        if proj_size >= hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self.mode, self.input_size, self.hidden_size, self.num_layers = (
            mode,
            input_size,
            hidden_size,
            num_layers,
        )
        self.bias, self.batch_first, self.dropout = bias, batch_first, float(dropout)
        self.bidirectional, self.proj_size = bidirectional, proj_size
        rows, out = _GATES[mode] * hidden_size, proj_size or hidden_size
        directions = ("", "_reverse") if bidirectional else ("",)
        self._all_weights = []
        for layer in range(num_layers):
            for suffix in directions:
                width = input_size if layer == 0 else out * len(directions)
                shapes = {"weight_ih": (rows, width), "weight_hh": (rows, out)}
                if bias:
                    shapes.update(bias_ih=(rows,), bias_hh=(rows,))
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = []
                for kind, shape in shapes.items():
                    names.append(f"{kind}_l{layer}{suffix}")
                    setattr(self, names[-1], empty_parameter(shape, device, dtype))
                self._all_weights.append(names)
        self.reset_parameters()

    def reset_parameters(self):
        """All uniform in +-1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self):
        """Nothing to do on a CPU: the kernels take the weights one by one."""

    @property
    def all_weights(self):
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        return [getattr(self, name) for name in self._flat_weights_names]

    def _widths(self):
        """Of each part of the state."""
        return [self.proj_size or self.hidden_size] + ([self.hidden_size] if self.mode == "LSTM" else [])

    def _expected_sizes(self, batch):
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return [(layers, batch, width) for width in self._widths()]

    def _state(self, hx, input, batch, batched, permutation):
        """The initial state as a list of (layers, batch, width), checked."""
        sizes = self._expected_sizes(batch)
        if hx is None:
            return [torch.zeros(size, dtype=input.dtype, device=input.device) for size in sizes]
        parts = list(hx) if self.mode == "LSTM" else [hx]
        wanted, kind = (3, "batched") if batched else (2, "unbatched")
        if any(part.dim() != wanted for part in parts):
            found = f"({', '.join(f'{part.dim()}-D' for part in parts)}) tensors"
            names, found = ("hx and cx", found) if len(parts) > 1 else ("hx", f"{hx.dim()}-D tensor")
            raise RuntimeError(f"For {kind} {wanted}-D input, {names} should also be {wanted}-D but got {found}")
        parts = parts if batched else [part.unsqueeze(1) for part in parts]
        names = ("hidden[0]", "hidden[1]") if self.mode == "LSTM" else ("hidden",)
        for part, size, name in zip(parts, sizes, names):
            if tuple(part.size()) != size:
                raise RuntimeError(f"Expected {name} size {size}, got {list(part.size())}")
        return parts if permutation is None else [part.index_select(1, permutation) for part in parts]

    def forward(self, input, hx=None):
        """input: (length, batch, input_size), or batch first, or unbatched, or a PackedSequence.

        Returns the outputs of the last layer and the final state."""
        from torch.nn.utils.rnn import PackedSequence

        packed = isinstance(input, PackedSequence)
        unsorted, sorted_, batched = None, None, True
        if packed:
            data, sizes, sorted_, unsorted = input
            batch = int(sizes[0])
        else:
            if input.dim() not in (2, 3):
                raise ValueError(f"{self._get_name()}: Expected input to be 2D or 3D, got {input.dim()}D instead")
            batched = input.dim() == 3
            data = input if batched else input.unsqueeze(0 if self.batch_first else 1)
            sizes, batch = None, data.size(0 if self.batch_first else 1)
        weight = getattr(self, self._all_weights[0][0])
        if data.dtype != weight.dtype:
            raise ValueError(
                f"RNN input dtype ({data.dtype}) does not match weight dtype ({weight.dtype}). Convert "
                f"input: input.to({weight.dtype}), or convert model: model.to({data.dtype})"
            )
        if data.size(-1) != self.input_size:
            raise RuntimeError(f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {data.size(-1)}")
        state = self._state(hx, data, batch, batched, sorted_)
        operator = getattr(VF, self.mode.lower())
        first = state if self.mode == "LSTM" else state[0]
        settings = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        if packed:
            output, *final = operator(data, sizes, first, *settings)
            output = PackedSequence(output, sizes, sorted_, unsorted)
        else:
            output, *final = operator(data, first, *settings, self.batch_first)
        if not batched:
            output = output.squeeze(0 if self.batch_first else 1)
            final = [part.squeeze(1) for part in final]
        elif unsorted is not None:
            final = [part.index_select(1, unsorted) for part in final]
        return output, tuple(final) if self.mode == "LSTM" else final[0]

    def extra_repr(self):
        text = f"{self.input_size}, {self.hidden_size}"
        for name, plain in (
            ("proj_size", 0),
            ("num_layers", 1),
            ("bias", True),
            ("batch_first", False),
            ("dropout", 0),
            ("bidirectional", False),
        ):
            if getattr(self, name) != plain:
                text += f", {name}={getattr(self, name)}"
        return text


class RNN(RNNBase):
    """h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu for nonlinearity="relu"."""

    def __init__(self, input_size, hidden_size, num_layers=1, nonlinearity="tanh", *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
        if nonlinearity not in modes:
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(modes[nonlinearity], input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory; the state is (h, c). Gates in the order input, forget, cell, output."""

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent unit. Gates in the order reset, update, new."""

    def __init__(self, *args, **kwargs):
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)


__all__ = ["RNNBase", "RNN", "LSTM", "GRU"]
