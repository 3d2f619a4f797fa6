"""Places in a model where its tensors are quantized and converted back, once the model is converted."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn


class QuantStub(nn.Module):
    """Marks where tensors are quantized; before that it returns them as they are.

    Args:
        qconfig (QConfig, optional): how

    Example:
        >>> torch.ao.quantization.QuantStub()(torch.ones(1))
        tensor([1.])
    """

    def __init__(self, qconfig: Any = None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x: Tensor) -> Tensor:
        return x


class DeQuantStub(QuantStub):
    """Marks where tensors are converted back; before that it returns them as they are.

    Args:
        qconfig (QConfig, optional): how

    Example:
        >>> torch.ao.quantization.DeQuantStub()(torch.ones(1))
        tensor([1.])
    """


class QuantWrapper(nn.Module):
    """A module between the two marks.

    Args:
        module (Module): the module

    Example:
        >>> torch.ao.quantization.QuantWrapper(nn.Identity())(torch.ones(1))
        tensor([1.])
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.quant, self.dequant = QuantStub(qconfig), DeQuantStub(qconfig)
        self.module = module
        self.train(module.training)

    def forward(self, X: Tensor) -> Tensor:
        return self.dequant(self.module(self.quant(X)))
