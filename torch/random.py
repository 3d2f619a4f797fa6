"""The default random generator: seeding it, and keeping its state."""

from __future__ import annotations

import contextlib

import torch
from torch import _C, _lazy
from torch._C import default_generator

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from torch import Generator, Tensor


def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator.

    Args:
        new_state (Tensor): bytes that `get_rng_state` gave

    Raises:
        RuntimeError: it is no such state

    Example:
        >>> state = torch.get_rng_state()
        >>> first = torch.rand(3)
        >>> torch.set_rng_state(state)
        >>> torch.equal(torch.rand(3), first)
        True
    """
    default_generator.set_state(new_state)


def get_rng_state() -> Tensor:
    """State of the default generator.

    Returns:
        a tensor of bytes

    Example:
        >>> torch.get_rng_state().dtype
        torch.uint8
    """
    return default_generator.get_state()


def manual_seed(seed: Any) -> Generator:
    """Start the random numbers of every device anew.

    Args:
        seed (int): between -2**63 and 2**64 - 1

    Returns:
        the default generator

    Raises:
        RuntimeError: the seed is out of that range

    Example:
        >>> torch.manual_seed(0).initial_seed()
        0
        >>> torch.rand(2)
        tensor([0.4963, 0.7682])
    """
    seed = int(seed)
    _C._seed_devices(seed)
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seed from the operating system.

    Returns:
        the seed, of 64 bits

    Example:
        >>> torch.seed() == torch.initial_seed()
        True
    """
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the current numbers started from.

    Returns:
        the seed

    Example:
        >>> generator = torch.manual_seed(7)
        >>> torch.initial_seed()
        7
    """
    return default_generator.initial_seed()


def thread_safe_generator() -> Generator | None:
    """The generator of the worker thread of a DataLoader that calls this, so that threads do not share a state.

    Workers are processes here, each with a default generator of its own, so there is none.

    Returns:
        None, which stands for the default generator

    Example:
        >>> torch.rand(2, generator=torch.random.thread_safe_generator()).shape
        torch.Size([2])
    """
    return None


@contextlib.contextmanager
def fork_rng(
    devices: Any = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: Any = None,
) -> Iterator[None]:
    """A block after which random numbers go on as if nothing had been.

    Args:
        devices (Iterable, optional): CUDA devices whose generators are kept as well
        enabled (bool, default True): False: a block that does nothing
        device_type (str, optional): accepted for compatibility

    Example:
        >>> generator = torch.manual_seed(0)
        >>> with torch.random.fork_rng():
        ...     ignored = torch.rand(100)
        >>> torch.rand(2)
        tensor([0.4963, 0.7682])
    """
    if not enabled:
        yield
        return
    state = get_rng_state()
    others = [(device, torch.cuda.get_rng_state(device)) for device in devices or ()]
    try:
        yield
    finally:
        set_rng_state(state)
        for device, saved in others:
            torch.cuda.set_rng_state(saved, device)


_lazy.names_what_is_absent(__name__)
