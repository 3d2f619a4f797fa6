"""Copies of states, out of which `async_save` writes while training goes on."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from torch.distributed.checkpoint._save_process import shared_copy
from torch.distributed.checkpoint._staging import copy_into, copy_state

__all__ = ["AsyncStager", "BlockingAsyncStager", "DefaultStager", "StagingOptions"]


@runtime_checkable
class AsyncStager(Protocol):
    """What copies a state for `async_save`.

    Example:
        >>> import torch.distributed.checkpoint.staging as staging
        >>> isinstance(staging.BlockingAsyncStager(), staging.AsyncStager)
        True
    """

    _synchronize_after_execute: bool = True

    def stage(self, state_dict: dict[str, Any]) -> Future[dict[str, Any]] | dict[str, Any]:
        """Copies a state.

        Args:
            state_dict (dict): the state

        Returns:
            the copy, or a future of it
        """
        raise NotImplementedError(f"{type(self).__name__}: a stager has stage()")

    def synchronize_staging(self) -> None:
        """Waits for copies that `stage` did not wait for."""

    def close(self) -> None:
        """Frees what the stager holds."""


class BlockingAsyncStager:
    """Copies a state before `async_save` returns.

    Args:
        cache_staged_state_dict (bool, default False): use the memory of the last copy again, which takes a state of equal shapes
        type_check (bool, default False): of no effect

    Example:
        >>> import torch.distributed.checkpoint.staging as staging
        >>> staging.BlockingAsyncStager().stage({"x": torch.ones(1)})
        {'x': tensor([1.])}
    """

    _synchronize_after_execute = False

    def __init__(self, cache_staged_state_dict: bool = False, type_check: bool = False) -> None:
        self.cache_staged_state_dict, self.type_check = cache_staged_state_dict, type_check
        self.state_dict_cache: Any = None

    def stage(self, state_dict: dict[str, Any]) -> dict[str, Any]:
        """Copies a state.

        Args:
            state_dict (dict): the state

        Returns:
            the copy
        """
        if not self.cache_staged_state_dict:
            return copy_state(state_dict)
        if self.state_dict_cache is None:
            self.state_dict_cache = copy_state(state_dict)
        else:
            self.state_dict_cache = copy_into(self.state_dict_cache, state_dict)
        return self.state_dict_cache

    def synchronize_staging(self) -> None:
        """Nothing: the copies are there."""

    def close(self) -> None:
        """Frees the memory of the last copy."""
        self.state_dict_cache = None


@dataclass
class StagingOptions:
    """How `DefaultStager` copies.

    Args:
        use_pinned_memory (bool, default True): of no effect on the CPU
        use_shared_memory (bool, default True): into memory that another process can use
        use_async_staging (bool, default True): in a thread
        use_non_blocking_copy (bool, default True): of no effect on the CPU

    Example:
        >>> torch.distributed.checkpoint.staging.StagingOptions(use_async_staging=False).use_async_staging
        False
    """

    use_pinned_memory: bool = True
    use_shared_memory: bool = True
    use_async_staging: bool = True
    use_non_blocking_copy: bool = True


class DefaultStager:
    """Copies a state in a thread. The state must not change until the copy is there: wait for `staging_completion` of what
    `async_save` returns, or call `synchronize_staging`.

    Args:
        config (StagingOptions, optional): how it copies

    Example:
        >>> import torch.distributed.checkpoint.staging as staging
        >>> with staging.DefaultStager() as stager:
        ...     stager.stage({"x": torch.ones(1)}).result()
        {'x': tensor([1.])}
    """

    _synchronize_after_execute = True

    def __init__(self, config: StagingOptions | None = None) -> None:
        self._config = StagingOptions() if config is None else config
        self._thread = ThreadPoolExecutor(1, "staging") if self._config.use_async_staging else None
        self._copy: Future[dict[str, Any]] | None = None

    def stage(self, state_dict: dict[str, Any], **kwargs: Any) -> dict[str, Any] | Future[dict[str, Any]]:
        """Copies a state.

        Args:
            state_dict (dict): the state
            **kwargs (Any): of no effect

        Returns:
            a future of the copy, or the copy without `use_async_staging`
        """
        copy = shared_copy if self._config.use_shared_memory else copy_state
        if self._thread is None:
            return copy(state_dict)
        self._copy = self._thread.submit(copy, state_dict)
        return self._copy

    def synchronize_staging(self) -> None:
        """Waits for the last copy."""
        if self._copy is not None:
            self._copy.result()

    def close(self) -> None:
        """Ends the thread."""
        if self._thread is not None:
            self._thread.shutdown()

    def __enter__(self) -> DefaultStager:
        return self

    def __exit__(self, *args: object) -> None:
        self.close()
