"""GPUs. In a build without CUDA, every query answers no."""

from __future__ import annotations

import torch
from torch import _C, _lazy
from torch._missing_device import MissingDevice as _MissingDevice

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any, NoReturn

_BUILT = bool(_C._cuda_extension())


def is_available() -> bool:
    """True if there is a GPU that this build can use.

    Returns:
        whether there is

    Example:
        >>> torch.cuda.is_available()
        False
    """
    return False


def device_count() -> int:
    """The number of GPUs that this build can use.

    Returns:
        the number

    Example:
        >>> torch.cuda.device_count()
        0
    """
    return 0


def is_initialized() -> bool:
    """Whether CUDA was used yet.

    Returns:
        False

    Example:
        >>> torch.cuda.is_initialized()
        False
    """
    return False


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """What needs a GPU: there is none.

    Args:
        *args (Any): any
        **kwargs (Any): any

    Raises:
        AssertionError: always

    Example:
        >>> torch.cuda.current_device()
        Traceback (most recent call last):
        AssertionError: Torch not compiled with CUDA enabled
    """
    raise AssertionError("Torch not compiled with CUDA enabled")


init = current_device = set_device = synchronize = get_device_name = get_device_properties = get_rng_state = _refuse
set_rng_state = current_stream = mem_get_info = _refuse


def manual_seed(seed: int) -> None:
    """Seed the current GPU; nothing to do without one.

    Args:
        seed (int): the seed

    Example:
        >>> torch.cuda.manual_seed(0)
    """


def manual_seed_all(seed: int) -> None:
    """Seed all GPUs; nothing to do without one.

    Args:
        seed (int): the seed

    Example:
        >>> torch.cuda.manual_seed_all(0)
    """


def empty_cache() -> None:
    """Give unused GPU memory back; there is none.

    Example:
        >>> torch.cuda.empty_cache()
    """


def memory_allocated(device: Any = None) -> int:
    """Bytes of tensors on a GPU.

    Args:
        device (device, optional): the GPU

    Returns:
        0

    Example:
        >>> torch.cuda.memory_allocated()
        0
    """
    return 0


def max_memory_allocated(device: Any = None) -> int:
    """The most bytes that tensors ever had on a GPU.

    Args:
        device (device, optional): the GPU

    Returns:
        0

    Example:
        >>> torch.cuda.max_memory_allocated()
        0
    """
    return 0


def reset_peak_memory_stats(device: Any = None) -> None:
    """Forget that figure; nothing to do without a GPU.

    Args:
        device (device, optional): the GPU

    Example:
        >>> torch.cuda.reset_peak_memory_stats()
    """


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether a GPU computes in bfloat16.

    Args:
        including_emulation (bool, default True): also slowly

    Returns:
        False

    Example:
        >>> torch.cuda.is_bf16_supported()
        False
    """
    return False


def get_device_capability(device: Any = None) -> NoReturn:
    """The version of a GPU's instructions.

    Args:
        device (device, optional): the GPU

    Raises:
        AssertionError: there is no GPU

    Example:
        >>> torch.cuda.get_device_capability()
        Traceback (most recent call last):
        AssertionError: Torch not compiled with CUDA enabled
    """
    _refuse()


if not _BUILT:
    _device = _MissingDevice(__name__, globals(), AssertionError, "Torch not compiled with CUDA enabled")
    _device.answers("is_tf32_supported", False, "Whether this build has it.")
    _device.answers("memory_reserved memory_cached max_memory_reserved max_memory_cached", 0, "Bytes of a GPU's memory.")
    _device.answers("get_arch_list get_rng_state_all", [], "One entry for each GPU, or architecture.")
    _device.answers("get_gencode_flags", "", "The architectures that this build has code for, as flags for a compiler.")
    _device.answers(
        "memory_stats memory_stats_as_nested_dict host_memory_stats host_memory_stats_as_nested_dict", {}, "Statistics of memory."
    )
    _device.answers(
        "seed seed_all set_rng_state_all set_stream caching_allocator_enable reset_max_memory_allocated reset_max_memory_cached "
        "reset_accumulated_memory_stats reset_accumulated_host_memory_stats reset_peak_host_memory_stats",
        None,
        "Nothing to do without a GPU.",
    )
    _device.refuses(
        "caching_allocator_alloc caching_allocator_delete caching_allocator_disabled can_device_access_peer "
        "change_current_allocator check_error clock_rate "
        "cudart current_blas_handle current_solver_handle default_stream device_memory_used get_allocator_backend "
        "get_per_process_memory_fraction get_stream_from_external get_sync_debug_mode graph_pool_handle initial_seed ipc_collect "
        "is_current_stream_capturing list_gpu_processes make_graphed_callables memory_snapshot memory_summary memory_usage "
        "power_draw set_per_process_memory_fraction set_sync_debug_mode temperature utilization _lazy_init"
    )
    _device.refused_classes(
        "CUDAGraph CUDAPluggableAllocator Event ExternalStream GreenContext MemPool Stream graph use_mem_pool"
    )
    for _kind in "BFloat16 Bool Byte Char Double Float Half Int Long Short".split():
        _device.refused_classes(f"{_kind}Tensor", "A type of tensors on a GPU.", TypeError)
        _device.refused_classes(f"{_kind}Storage", "The memory of a tensor on a GPU.", AssertionError)
    _device.refused_classes("ComplexDoubleStorage ComplexFloatStorage", "The memory of a tensor on a GPU.", AssertionError)
    default_generators = ()
    has_half, has_magma = True, False

OutOfMemoryError = getattr(_C, "OutOfMemoryError", RuntimeError)
_ = torch


class CudaError(RuntimeError):
    """An error of CUDA's runtime.

    Args:
        code (int): its number

    Example:
        >>> raise torch.cuda.CudaError(2)
        Traceback (most recent call last):
        torch.cuda.CudaError: CUDA error 2
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"CUDA error {code}")


class DeferredCudaCallError(Exception):
    """An error of a call that waited until CUDA was used.

    Example:
        >>> issubclass(torch.cuda.DeferredCudaCallError, Exception)
        True
    """


class cudaStatus:
    """Numbers that CUDA's runtime returns.

    Example:
        >>> torch.cuda.cudaStatus.SUCCESS
        0
    """

    SUCCESS = 0
    ERROR_NOT_READY = 34


class device:
    """A block with another current GPU; a negative number, or None, changes nothing.

    Args:
        device (device or int): the GPU

    Example:
        >>> with torch.cuda.device(None):
        ...     torch.ones(1)
        tensor([1.])
    """

    def __init__(self, device: Any) -> None:
        index = device if isinstance(device, int) or device is None else torch.device(device).index
        self.idx = -1 if index is None else index

    def __enter__(self) -> None:
        if self.idx >= 0:
            raise RuntimeError(f"torch.cuda.device({self.idx}): Torch not compiled with CUDA enabled")

    def __exit__(self, *problem: object) -> None:
        pass


class device_of(device):
    """A block with the GPU of a tensor as the current one; other tensors change nothing.

    Args:
        obj (Tensor or Storage): where it is

    Example:
        >>> with torch.cuda.device_of(torch.ones(1)):
        ...     torch.ones(1)
        tensor([1.])
    """

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if getattr(obj, "is_cuda", False) else -1)


class StreamContext:
    """A block with another current stream; None changes nothing.

    Args:
        stream (Stream, optional): the stream

    Example:
        >>> with torch.cuda.StreamContext(None):
        ...     torch.ones(1)
        tensor([1.])
    """

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            _refuse()

    def __exit__(self, *problem: object) -> None:
        pass


def stream(stream: Any) -> StreamContext:
    """The same.

    Args:
        stream (Stream, optional): the stream

    Returns:
        the block

    Example:
        >>> with torch.cuda.stream(None):
        ...     torch.ones(1)
        tensor([1.])
    """
    return StreamContext(stream)


_initialized = False

if _BUILT:
    # What stands above is for builds without CUDA.
    from torch.cuda._devices import (  # noqa: F811
        Event,
        ExternalStream,
        Stream,
        StreamContext,
        can_device_access_peer,
        check_error,
        cudart,
        current_device,
        current_stream,
        default_stream,
        device,
        device_count,
        device_of,
        get_arch_list,
        get_device_capability,
        get_device_name,
        get_device_properties,
        get_gencode_flags,
        get_stream_from_external,
        get_sync_debug_mode,
        init,
        is_available,
        is_bf16_supported,
        is_tf32_supported,
        set_device,
        set_stream,
        set_sync_debug_mode,
        stream,
        synchronize,
    )
    from torch.cuda._graphs import (  # noqa: F811
        CUDAGraph,
        graph,
        graph_pool_handle,
        is_current_stream_capturing,
        make_graphed_callables,
    )
    from torch.cuda._green_contexts import GreenContext  # noqa: F811
    from torch.cuda._ipc import ipc_collect  # noqa: F811
    from torch.cuda._legacy_types import (  # noqa: F811
        BFloat16Storage,
        BFloat16Tensor,
        BoolStorage,
        BoolTensor,
        ByteStorage,
        ByteTensor,
        CharStorage,
        CharTensor,
        ComplexDoubleStorage,
        ComplexFloatStorage,
        DoubleStorage,
        DoubleTensor,
        FloatStorage,
        FloatTensor,
        HalfStorage,
        HalfTensor,
        IntStorage,
        IntTensor,
        LongStorage,
        LongTensor,
        ShortStorage,
        ShortTensor,
    )
    from torch.cuda._memory import (  # noqa: F811
        caching_allocator_alloc,
        caching_allocator_delete,
        caching_allocator_disabled,
        caching_allocator_enable,
        empty_cache,
        get_allocator_backend,
        get_per_process_memory_fraction,
        host_memory_stats,
        host_memory_stats_as_nested_dict,
        max_memory_allocated,
        max_memory_cached,
        max_memory_reserved,
        mem_get_info,
        memory_allocated,
        memory_cached,
        memory_reserved,
        memory_snapshot,
        memory_stats,
        memory_stats_as_nested_dict,
        memory_summary,
        reset_accumulated_host_memory_stats,
        reset_accumulated_memory_stats,
        reset_max_memory_allocated,
        reset_max_memory_cached,
        reset_peak_host_memory_stats,
        reset_peak_memory_stats,
        set_per_process_memory_fraction,
    )
    from torch.cuda._monitor import (  # noqa: F811
        clock_rate,
        device_memory_used,
        list_gpu_processes,
        memory_usage,
        power_draw,
        temperature,
        utilization,
    )
    from torch.cuda._pluggable import CUDAPluggableAllocator, change_current_allocator  # noqa: F811
    from torch.cuda._pools import MemPool, use_mem_pool  # noqa: F811
    from torch.cuda._random import (  # noqa: F811
        default_generators,
        get_rng_state,
        get_rng_state_all,
        initial_seed,
        manual_seed,
        manual_seed_all,
        seed,
        seed_all,
        set_rng_state,
        set_rng_state_all,
    )
    from torch.cuda._runtime import current_blas_handle, current_solver_handle, is_initialized  # noqa: F811

    has_half, has_magma = True, False


def _is_compiled() -> bool:
    """Whether this build has CUDA."""
    return _BUILT


if _BUILT:
    from torch.cuda._devices import (  # noqa: F401
        _CudaDeviceProperties,
        _exchange_device,
        _maybe_exchange_device,
        _set_stream_by_id,
    )
    from torch.cuda._devices import device as _DeviceGuard  # noqa: F401
    from torch.cuda._random import _get_generator, _get_rng_state_offset, _set_rng_state_offset  # noqa: F401
    from torch.cuda._runtime import call_when_initialized as _lazy_call
    from torch.cuda._runtime import initialize as _lazy_init
    from torch.cuda._runtime import is_in_bad_fork as _is_in_bad_fork
    from torch.cuda._runtime import sleep as _sleep

    def _attach_out_of_memory_observer(observer: Any) -> None:
        """Calls a function before each error for a GPU's memory, with the device, the bytes that were asked for, all and free."""
        _lazy_init().attach_out_of_memory_observer(observer)

    _C._cuda_attach_out_of_memory_observer = _attach_out_of_memory_observer
else:

    def _lazy_call(function: Any, **kwargs: Any) -> None:
        """Calls that wait until CUDA is used never run."""

    def _sleep(cycles: int) -> NoReturn:
        """What keeps a GPU busy: there is none."""
        _refuse()

    def _is_in_bad_fork() -> bool:
        """Whether this process was forked from one that uses GPUs: there is none."""
        return False


__getattr__, __dir__ = _lazy.lazy(
    __name__,
    "_utils amp comm graphs green_contexts jiterator memory nccl nvtx profiler random streams".split(),
    {
        "AcceleratorError": "torch",
        "_compile_kernel": "torch.cuda._compile",
        "_get_device_index": "torch.cuda._utils",
    },
)
