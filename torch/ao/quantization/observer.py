"""The bases of modules that observe or simulate quantization."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn


class ObserverBase(ABC, nn.Module):
    """Sees tensors in `forward`, and says in `calculate_qparams` how they are best quantized. Programs derive from it.

    Args:
        dtype (torch.dtype): of the quantized values
        is_dynamic (bool, default False): whether it observes while the model runs

    Example:
        >>> issubclass(torch.ao.quantization.ObserverBase, nn.Module)
        True
    """

    def __init__(self, dtype: torch.dtype, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype, self.is_dynamic = dtype, is_dynamic

    @abstractmethod
    def forward(self, x: Tensor) -> Any:
        """Observe a tensor, and return it.

        Args:
            x (Tensor): the tensor
        """

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """What was found.

        Args:
            **kwargs (Any): of the class
        """


class FakeQuantizeBase(ABC, nn.Module):
    """Rounds tensors as quantization would. Programs derive from it.

    Example:
        >>> issubclass(torch.ao.quantization.FakeQuantizeBase, nn.Module)
        True
    """

    fake_quant_enabled: Tensor
    observer_enabled: Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("fake_quant_enabled", torch.tensor([1], dtype=torch.uint8))
        self.register_buffer("observer_enabled", torch.tensor([1], dtype=torch.uint8))

    @abstractmethod
    def forward(self, x: Tensor) -> Tensor:
        """Round a tensor.

        Args:
            x (Tensor): the tensor
        """

    @abstractmethod
    def calculate_qparams(self, **kwargs: Any) -> Any:
        """How it rounds.

        Args:
            **kwargs (Any): of the class
        """

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Switch the rounding.

        Args:
            enabled (bool, default True): whether it rounds
        """
        self.fake_quant_enabled[0] = int(enabled)

    def disable_fake_quant(self) -> None:
        """Switch the rounding off."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Switch the observing.

        Args:
            enabled (bool, default True): whether it observes
        """
        self.observer_enabled[0] = int(enabled)

    def disable_observer(self) -> None:
        """Switch the observing off."""
        self.enable_observer(False)
