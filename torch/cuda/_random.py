"""Random numbers of torch.cuda in a build with CUDA: each GPU has a generator."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import _C, Generator, Tensor
from torch.cuda._runtime import extension, index_of, initialize


def _generator(device: Any = "cuda") -> Generator:
    return initialize().default_generator(index_of(device))


def get_rng_state(device: Any = "cuda") -> Tensor:
    """The state of a GPU's generator, as bytes."""
    return _generator(device).get_state()


def get_rng_state_all() -> list[Tensor]:
    """The states of all GPUs' generators."""
    return [get_rng_state(d) for d in range(extension().device_count())]


def set_rng_state(new_state: Tensor, device: Any = "cuda") -> None:
    """Goes back to a state that get_rng_state returned."""
    _generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Goes back to states that get_rng_state_all returned."""
    for device, state in enumerate(new_states):
        set_rng_state(state, device)


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current GPU."""
    if extension().device_count():
        _generator().manual_seed(int(seed))


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all GPUs."""
    _C._seed_devices(int(seed))


def seed() -> None:
    """Seeds the generator of the current GPU from the operating system."""
    if extension().device_count():
        _generator().seed()


def seed_all() -> None:
    """Seeds the generators of all GPUs with one number from the operating system."""
    manual_seed_all(torch.Generator().seed())


def initial_seed() -> int:
    """The seed that the current GPU's numbers started from."""
    return _generator().initial_seed()


def _get_rng_state_offset(device: Any = "cuda") -> int:
    """How far a GPU's generator has come since its seed."""
    return _generator(device).get_offset()


def _set_rng_state_offset(offset: int, device: Any = "cuda") -> None:
    """Goes to such a place."""
    _generator(device).set_offset(offset)


_get_generator = _generator


class Generators:
    """torch.cuda.default_generators: one for each GPU."""

    def __len__(self) -> int:
        return extension().device_count()

    def __getitem__(self, device: int) -> Generator:
        if not -len(self) <= device < len(self):
            raise IndexError(f"there are {len(self)} GPUs, got index {device}")
        return initialize().default_generator(device % len(self))


default_generators = Generators()
