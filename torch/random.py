"""The default random generator: seeding it, and keeping its state."""

from __future__ import annotations

import contextlib

import torch
from torch import _lazy
from torch._C import default_generator

TYPE_CHECKING = False  # a type checker takes it for true
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from torch import Generator, Tensor


def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator: a byte tensor that `get_rng_state` gave."""
    default_generator.set_state(new_state)


def get_rng_state() -> Tensor:
    """State of the default generator, a byte tensor."""
    return default_generator.get_state()


def manual_seed(seed: Any) -> Generator:
    """Start the random numbers of every device from `seed`, between -2**63 and 2**64 - 1; returns the
    generator."""
    seed = int(seed)
    if "torch.cuda" in __import__("sys").modules:
        torch.cuda.manual_seed_all(seed)
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seed from the operating system; returns the 64-bit seed."""
    return default_generator.seed()


def initial_seed() -> int:
    """The seed that the current numbers started from."""
    return default_generator.initial_seed()


@contextlib.contextmanager
def fork_rng(
    devices: Any = None, enabled: bool = True, _caller: str = "fork_rng", _devices_kw: str = "devices", device_type: Any = None,
) -> Iterator[None]:
    """Inside, random numbers may be drawn and seeds set: outside, the stream goes on as if nothing had
    been."""
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
