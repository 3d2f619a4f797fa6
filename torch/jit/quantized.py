"""Names that PyTorch removed: each says what took its place."""

from __future__ import annotations

from typing import Any

_CLASSES = {
    "QuantizedLinear": "Linear", "QuantizedLinearFP16": "Linear", "QuantizedRNNCellBase": "RNNCell",
    "QuantizedRNNCell": "RNNCell", "QuantizedLSTMCell": "LSTMCell", "QuantizedGRUCell": "GRUCell", "QuantizedRNNBase": "RNN",
    "QuantizedLSTM": "LSTM", "QuantizedGRU": "GRU",
}  # fmt: skip


def _refusal(name: str, instead: str) -> Any:
    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"torch.jit.quantized.{name} was removed from PyTorch; its place was taken by torch.ao.{instead}")

    return refuse


for _name, _instead in _CLASSES.items():
    _new = {
        "__new__": _refusal(_name, f"nn.quantized.dynamic.{_instead}"),
        "__doc__": "Removed from PyTorch.",
        "__module__": __name__,
    }
    globals()[_name] = type(_name, (), _new)
for _name in ("quantize_linear_modules", "quantize_rnn_cell_modules", "quantize_rnn_modules"):
    globals()[_name] = _refusal(_name, "quantization.quantize_dynamic")
