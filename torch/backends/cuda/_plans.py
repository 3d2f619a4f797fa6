"""The caches of plans that cuFFT makes for Fourier transforms, one for each GPU."""

from __future__ import annotations

from typing import Any

import torch

__all__ = ["cuFFTPlanCache", "cuFFTPlanCacheAttrContextProp", "cuFFTPlanCacheManager", "cufft_plan_cache"]


def _extension() -> Any:
    if not torch.cuda._is_compiled():
        raise AssertionError("torch.backends.cuda.cufft_plan_cache: Torch not compiled with CUDA enabled")
    from torch.cuda._runtime import initialize

    return initialize()


class cuFFTPlanCacheAttrContextProp:
    """A setting of the plans of one GPU, as an attribute of `cuFFTPlanCache`.

    Args:
        getter (Callable): of the number of the GPU
        setter (Callable or str): of that number and the value; a str is the error of who sets it

    Example:
        >>> class Cache:
        ...     device_index = 3
        ...     size = torch.backends.cuda.cuFFTPlanCacheAttrContextProp(lambda index: index + 1, "size cannot be set")
        >>> Cache().size
        4
    """

    def __init__(self, getter: Any, setter: Any) -> None:
        self.getter, self.setter = getter, setter

    def __get__(self, cache: Any, kind: Any = None) -> Any:
        return self if cache is None else self.getter(cache.device_index)

    def __set__(self, cache: Any, value: Any) -> None:
        if isinstance(self.setter, str):
            raise RuntimeError(self.setter)
        self.setter(cache.device_index, value)


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

    # The number of plans that are kept, and how many are kept at the most: 0 keeps none.
    size = cuFFTPlanCacheAttrContextProp(
        lambda index: _extension().cufft_plan_cache_size(index), "cufft_plan_cache.size cannot be set: clear() empties the cache"
    )
    max_size = cuFFTPlanCacheAttrContextProp(
        lambda index: _extension().cufft_plan_cache_max_size(index),
        lambda index, value: _extension().set_cufft_plan_cache_max_size(index, value),
    )

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
