"""The caches of plans that cuFFT makes for Fourier transforms, one for each GPU."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["cuFFTPlanCache", "cuFFTPlanCacheManager", "cufft_plan_cache"]


def _extension() -> Any:
    if not torch.cuda._is_compiled():
        raise AssertionError("torch.backends.cuda.cufft_plan_cache: Torch not compiled with CUDA enabled")
    from torch.cuda._runtime import initialize

    return initialize()


class cuFFTPlanCache:
    """The plans of one GPU: those that were used last.

    Args:
        device_index (int): the number of the GPU

    Example:
        >>> torch.backends.cuda.cuFFTPlanCache(0).device_index
        0
    """

    def __init__(self, device_index: int) -> None:
        self.device_index = device_index

    @property
    def size(self) -> int:
        """The number of plans that are kept."""
        return _extension().cufft_plan_cache_size(self.device_index)

    @property
    def max_size(self) -> int:
        """The number of plans that are kept at the most. 0 keeps none."""
        return _extension().cufft_plan_cache_max_size(self.device_index)

    @max_size.setter
    def max_size(self, value: int) -> None:
        _extension().set_cufft_plan_cache_max_size(self.device_index, value)

    def clear(self) -> None:
        """Destroys the plans."""
        _extension().clear_cufft_plan_cache(self.device_index)


class cuFFTPlanCacheManager:
    """The caches of plans of Fourier transforms, one for each GPU: indexed by a device, or those of the current one.

    Example:
        >>> torch.backends.cuda.cufft_plan_cache.no_such_name
        Traceback (most recent call last):
        AttributeError: ...
    """

    def __getitem__(self, device: Any) -> cuFFTPlanCache:
        if not torch.cuda._is_compiled() or torch.cuda.device_count() == 0:
            raise RuntimeError(f"torch.backends.cuda.cufft_plan_cache[{device!r}]: there is no GPU")
        from torch.cuda._runtime import index_of

        index = device if isinstance(device, int) else index_of(device)
        count = torch.cuda.device_count()
        if not 0 <= index < count:
            raise RuntimeError(f"torch.backends.cuda.cufft_plan_cache[{device!r}]: expected 0 to {count - 1}")
        return cuFFTPlanCache(index)

    def __getattr__(self, name: str) -> Any:
        if name not in ("size", "max_size", "clear"):
            raise AttributeError(f"cufft_plan_cache has no attribute {name}")
        return getattr(cuFFTPlanCache(_extension().current_device()), name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "max_size":
            raise AttributeError(f"cufft_plan_cache has no attribute {name} that can be set")
        cuFFTPlanCache(_extension().current_device()).max_size = value


cufft_plan_cache = cuFFTPlanCacheManager()
