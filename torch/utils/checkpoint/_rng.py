"""The state of the random number generators at a checkpoint."""

from __future__ import annotations

import contextlib

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class DefaultDeviceType:
    """The accelerator whose generators are kept beside the CPU's.

    Example:
        >>> torch.utils.checkpoint.DefaultDeviceType.get_device_type()
        'cuda'
    """

    _default_device_type = "cuda"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Sets the kind of device.

        Args:
            device (str, default "cuda"): its name
        """
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        """The kind of device."""
        return DefaultDeviceType._default_device_type


def get_device_states(*args: Any) -> tuple[list[int], list[torch.Tensor]]:
    """The states of generators of the accelerators that tensors are on.

    Args:
        *args (Any): tensors and other items

    Returns:
        (device indices, generator states)

    Example:
        >>> torch.utils.checkpoint.get_device_states(torch.ones(2))
        ([], [])
    """
    found = sorted({arg.get_device() for arg in args if isinstance(arg, torch.Tensor) and arg.device.type not in ("cpu", "meta")})
    module = getattr(torch, DefaultDeviceType.get_device_type(), None)
    return found, [module.get_rng_state(index) for index in found]


def set_device_states(devices: Sequence[int], states: Sequence[torch.Tensor], *, device_type: str | None = None) -> None:
    """Undo `get_device_states`.

    Args:
        devices (Sequence[int]): device indices
        states (Sequence[Tensor]): generator states
        device_type (str, optional): the kind of device

    Example:
        >>> torch.utils.checkpoint.set_device_states([], [])
    """
    module = getattr(torch, device_type or DefaultDeviceType.get_device_type(), None)
    for index, state in zip(devices, states):
        module.set_rng_state(state, index)


class KeptStates:
    """The states as they are now, for `restored()` later; nothing if `keep` is false."""

    def __init__(self, keep, args):
        self.keep = keep
        if keep:
            self.cpu = torch.get_rng_state()
            self.devices, self.states = get_device_states(*args)

    @contextlib.contextmanager
    def restored(self):
        """Inside, the generators continue from the saved states; afterwards from where they were."""
        if not self.keep:
            yield
            return
        with torch.random.fork_rng(devices=self.devices):
            torch.set_rng_state(self.cpu)
            set_device_states(self.devices, self.states)
            yield
