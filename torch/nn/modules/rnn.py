"""Recurrent layers."""

from __future__ import annotations

import math
import warnings

import torch
from torch.nn import init
from torch.nn.modules._shared import VF, empty_parameter
from torch.nn.modules.module import Module

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, overload

    from typing_extensions import Self

    from torch import Tensor
    from torch.nn.parameter import Parameter
    from torch.nn.utils.rnn import PackedSequence
    from torch.types import Device
else:  # typing.get_type_hints() of classes needs them
    from torch.nn.parameter import Parameter


_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
_CUDNN_MODES = {"RNN_RELU": 0, "RNN_TANH": 1, "LSTM": 2, "GRU": 3}


class RNNBase(Module):
    """What recurrent layers share: settings, weights and the walk over layers and directions.

    Weights are called weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, weight_ih_l0_reverse and so on, by layer and direction.

    Args:
        mode (str): 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'
        input_size (int): width of a step of the input
        hidden_size (int): width of the state
        num_layers (int, default 1): layers, each on the outputs of the one before
        bias (bool, default True): whether there are biases
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        dropout (float, default 0.0): probability with which outputs between layers are dropped in training
        bidirectional (bool, default False): a second layer runs backwards; outputs are joined
        proj_size (int, default 0): width to which an LSTM's output is projected; 0: not
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Raises:
        ValueError: a size is out of range, or the mode is unknown
        TypeError: hidden_size is no int

    Example:
        >>> nn.RNNBase("GRU", 4, 3).weight_ih_l0.shape
        torch.Size([9, 4])
    """

    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    batch_first: bool
    bidirectional: bool

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if isinstance(dropout, bool) or not isinstance(dropout, (int, float)) or not 0 <= dropout <= 1:
            raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being zeroed")
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
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
        self.flatten_parameters()
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all weights and biases anew, uniformly from `+-1 / sqrt(hidden_size)`.

        Example:
            >>> nn.GRU(1, 1).reset_parameters()
        """
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def flatten_parameters(self) -> None:
        """Puts the weights into one piece of memory, where cuDNN reads them; moving the module to a GPU does that too.

        Nothing to do on a CPU, whose kernels take the weights one by one, or where cuDNN is not there. Weights that share memory
        stay as they are.

        Example:
            >>> nn.GRU(1, 1).flatten_parameters()
        """
        weights = [getattr(self, name, None) for name in self._flat_weights_names]
        first = weights[0]
        if not isinstance(first, torch.Tensor) or not first.is_cuda or not torch.backends.cudnn.is_acceptable(first):
            return
        if any(not isinstance(w, torch.Tensor) or w.dtype != first.dtype or w.device != first.device for w in weights):
            return
        if len({w.data_ptr() for w in weights}) != len(weights) or not torch._use_cudnn_rnn_flatten_weight():
            return
        each = 2 + 2 * self.bias + (self.proj_size > 0)
        sizes = (self.input_size, _CUDNN_MODES[self.mode], self.hidden_size, self.proj_size, self.num_layers)
        with torch.no_grad():
            torch._cudnn_rnn_flatten_weight(weights, each, *sizes, self.batch_first, bool(self.bidirectional))

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> Self:
        super()._apply(fn, recurse)
        self.flatten_parameters()
        return self

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights, a list for every layer and direction.

        Example:
            >>> len(nn.GRU(1, 1, num_layers=2).all_weights)
            2
        """
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def __getstate__(self) -> dict[str, Any]:
        # PyTorch reads these two lists when it loads a pickled module.
        return {**self.__dict__, "_flat_weights_names": self._flat_weights_names, "_flat_weights": self._flat_weights}

    def __setstate__(self, state: Any) -> None:
        super().__setstate__({name: value for name, value in state.items() if not name.startswith("_flat_weight")})

    @property
    def _flat_weights_names(self) -> list[str]:
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [getattr(self, name) for name in self._flat_weights_names]

    def _widths(self) -> list[int]:
        """Of each part of the state."""
        return [self.proj_size or self.hidden_size] + ([self.hidden_size] if self.mode == "LSTM" else [])

    def _expected_sizes(self, batch: int) -> list[tuple[int, ...]]:
        layers = self.num_layers * (2 if self.bidirectional else 1)
        return [(layers, batch, width) for width in self._widths()]

    def _state(self, hx: Any, input: Tensor, batch: int, batched: bool, permutation: Tensor | None) -> list[Tensor]:
        """The initial state as a list of (layers, batch, width), checked."""
        sizes = self._expected_sizes(batch)
        if hx is None:
            return [torch.zeros(size, dtype=input.dtype, device=input.device) for size in sizes]
        parts = list(hx) if self.mode == "LSTM" else [hx]
        expected, kind = (3, "batched") if batched else (2, "unbatched")
        if any(part.dim() != expected for part in parts):
            found = f"({', '.join(f'{part.dim()}-D' for part in parts)}) tensors"
            names, found = ("hx and cx", found) if len(parts) > 1 else ("hx", f"{hx.dim()}-D tensor")
            raise RuntimeError(f"For {kind} {expected}-D input, {names} should also be {expected}-D but got {found}")
        parts = parts if batched else [part.unsqueeze(1) for part in parts]
        names = ("hidden[0]", "hidden[1]") if self.mode == "LSTM" else ("hidden",)
        for part, size, name in zip(parts, sizes, names):
            if tuple(part.size()) != size:
                raise RuntimeError(f"Expected {name} size {size}, got {list(part.size())}")
        return parts if permutation is None else [part.index_select(1, permutation) for part in parts]

    def forward(self, input: Tensor | PackedSequence, hx: Any = None) -> tuple[Any, Any]:
        """The outputs of the last layer at every step, and the final state.

        Args:
            input (Tensor or PackedSequence): (L, N, input_size), (N, L, input_size) with batch_first, (L, input_size), or a
                PackedSequence
            hx (Any): the first state, (layers * directions, N, hidden_size), for an LSTM a pair; None: zeros

        Returns:
            (outputs, final state), as packed or batched as the input

        Raises:
            ValueError: the input has other than 2 or 3 dimensions, or another type than the weights
            RuntimeError: a size does not fit

        Example:
            >>> outputs, state = nn.GRU(4, 3)(torch.ones(5, 2, 4))
            >>> outputs.shape, state.shape
            (torch.Size([5, 2, 3]), torch.Size([1, 2, 3]))
        """
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
        if data.dtype != weight.dtype and not torch._C._is_any_autocast_enabled():
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

    def extra_repr(self) -> str:
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
    """The simple recurrent layer (Elman 1990): `h' = tanh(W_ih x + b_ih + W_hh h + b_hh)`, or relu for tanh.

    Args:
        input_size (int): width of a step of the input
        hidden_size (int): width of the state
        num_layers (int, default 1): layers, each on the outputs of the one before
        nonlinearity (str, default "tanh"): 'tanh' or 'relu'
        bias (bool, default True): whether there are biases
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        dropout (float, default 0.0): probability with which outputs between layers are dropped in training
        bidirectional (bool, default False): a second layer runs backwards; outputs are joined
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (L, N, input_size) to (L, N, directions * hidden_size) and (layers * directions, N, hidden_size)

    Raises:
        ValueError: the nonlinearity is neither 'tanh' nor 'relu', or proj_size is given

    Example:
        >>> outputs, state = nn.RNN(4, 3)(torch.ones(5, 2, 4))
        >>> outputs.shape, state.shape
        (torch.Size([5, 2, 3]), torch.Size([1, 2, 3]))
    """

    nonlinearity: str

    if TYPE_CHECKING:

        def __init__(
            self,
            input_size: int,
            hidden_size: int,
            num_layers: int = 1,
            nonlinearity: str = "tanh",
            bias: bool = True,
            batch_first: bool = False,
            dropout: float = 0.0,
            bidirectional: bool = False,
            device: Device = None,
            dtype: torch.dtype | None = None,
        ) -> None: ...

        @overload  # type: ignore[override]
        def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...

        @overload
        def forward(self, input: PackedSequence, hx: Tensor | None = None) -> tuple[PackedSequence, Tensor]: ...

        def forward(self, input: Any, hx: Any = None) -> Any: ...

        @overload  # type: ignore[override]
        def __call__(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...

        @overload
        def __call__(self, input: PackedSequence, hx: Tensor | None = None) -> tuple[PackedSequence, Tensor]: ...

        def __call__(self, input: Any, hx: Any = None) -> Any: ...

    else:

        def __init__(
            self,
            input_size: int,
            hidden_size: int,
            num_layers: int = 1,
            nonlinearity: str = "tanh",
            *args: Any,
            **kwargs: Any,
        ) -> None:
            if "proj_size" in kwargs:
                raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
            modes = {"tanh": "RNN_TANH", "relu": "RNN_RELU"}
            if nonlinearity not in modes:
                raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
            super().__init__(modes[nonlinearity], input_size, hidden_size, num_layers, *args, **kwargs)
            self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber 1997); the state is a pair (h, c).

    `i, f, o = sigmoid(...)` and `g = tanh(...)` of `W_ih x + b_ih + W_hh h + b_hh`; `c' = f * c + i * g`; `h' = o * tanh(c')`.
    The rows of the weights are in the order i, f, g, o.

    Args:
        input_size (int): width of a step of the input
        hidden_size (int): width of the state
        num_layers (int, default 1): layers, each on the outputs of the one before
        bias (bool, default True): whether there are biases
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        dropout (float, default 0.0): probability with which outputs between layers are dropped in training
        bidirectional (bool, default False): a second layer runs backwards; outputs are joined
        proj_size (int, default 0): width to which an LSTM's output is projected; 0: not
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (L, N, input_size) to (L, N, directions * (proj_size or hidden_size)), and the pair of states

    Example:
        >>> outputs, (h, c) = nn.LSTM(4, 3)(torch.ones(5, 2, 4))
        >>> outputs.shape, h.shape, c.shape
        (torch.Size([5, 2, 3]), torch.Size([1, 2, 3]), torch.Size([1, 2, 3]))
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            input_size: int,
            hidden_size: int,
            num_layers: int = 1,
            bias: bool = True,
            batch_first: bool = False,
            dropout: float = 0.0,
            bidirectional: bool = False,
            proj_size: int = 0,
            device: Device = None,
            dtype: torch.dtype | None = None,
        ) -> None: ...

        @overload  # type: ignore[override]
        def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]: ...

        @overload
        def forward(
            self, input: PackedSequence, hx: tuple[Tensor, Tensor] | None = None
        ) -> tuple[PackedSequence, tuple[Tensor, Tensor]]: ...

        def forward(self, input: Any, hx: Any = None) -> Any: ...

        @overload  # type: ignore[override]
        def __call__(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, tuple[Tensor, Tensor]]: ...

        @overload
        def __call__(
            self, input: PackedSequence, hx: tuple[Tensor, Tensor] | None = None
        ) -> tuple[PackedSequence, tuple[Tensor, Tensor]]: ...

        def __call__(self, input: Any, hx: Any = None) -> Any: ...

    else:

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__("LSTM", *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent unit (Cho et al. 2014).

    `r, z = sigmoid(W_ih x + b_ih + W_hh h + b_hh)`; `n = tanh(W_ih x + b_ih + r * (W_hh h + b_hh))`; `h' = (1 - z) * n + z * h`.
    The rows of the weights are in the order r, z, n.

    Args:
        input_size (int): width of a step of the input
        hidden_size (int): width of the state
        num_layers (int, default 1): layers, each on the outputs of the one before
        bias (bool, default True): whether there are biases
        batch_first (bool, default False): the batch is dimension 0 instead of 1
        dropout (float, default 0.0): probability with which outputs between layers are dropped in training
        bidirectional (bool, default False): a second layer runs backwards; outputs are joined
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        (L, N, input_size) to (L, N, directions * hidden_size) and (layers * directions, N, hidden_size)

    Raises:
        ValueError: proj_size is given

    Example:
        >>> outputs, state = nn.GRU(4, 3, bidirectional=True)(torch.ones(5, 2, 4))
        >>> outputs.shape, state.shape
        (torch.Size([5, 2, 6]), torch.Size([2, 2, 3]))
    """

    if TYPE_CHECKING:

        def __init__(
            self,
            input_size: int,
            hidden_size: int,
            num_layers: int = 1,
            bias: bool = True,
            batch_first: bool = False,
            dropout: float = 0.0,
            bidirectional: bool = False,
            device: Device = None,
            dtype: torch.dtype | None = None,
        ) -> None: ...

        @overload  # type: ignore[override]
        def forward(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...

        @overload
        def forward(self, input: PackedSequence, hx: Tensor | None = None) -> tuple[PackedSequence, Tensor]: ...

        def forward(self, input: Any, hx: Any = None) -> Any: ...

        @overload  # type: ignore[override]
        def __call__(self, input: Tensor, hx: Tensor | None = None) -> tuple[Tensor, Tensor]: ...

        @overload
        def __call__(self, input: PackedSequence, hx: Tensor | None = None) -> tuple[PackedSequence, Tensor]: ...

        def __call__(self, input: Any, hx: Any = None) -> Any: ...

    else:

        def __init__(self, *args: Any, **kwargs: Any) -> None:
            if "proj_size" in kwargs:
                raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
            super().__init__("GRU", *args, **kwargs)


__all__ = ["RNNBase", "RNN", "LSTM", "GRU"]


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """The tensor with its slices in another order: `tensor.index_select(dim, permutation)`.

    Args:
        tensor (Tensor): the tensor
        permutation (Tensor): the numbers of the slices
        dim (int, default 1): the dimension

    Returns:
        a new tensor

    Example:
        >>> torch.nn.modules.rnn.apply_permutation(torch.tensor([[1, 2, 3]]), torch.tensor([2, 0, 1]))
        tensor([[3, 1, 2]])
    """
    return tensor.index_select(dim, permutation)


_apply_permutation = apply_permutation
