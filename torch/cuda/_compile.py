"""Kernels that a program brings as text, compiled while it runs: `torch.cuda._compile_kernel`, and what jiterator builds on.

NVRTC compiles for GPUs, the C++ compiler for the emulated device. Kernels are kept in memory and in files (`_kernel_cache`).
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from typing import Any

import torch
from torch.cuda import _kernel_cache
from torch.cuda._runtime import initialize
from torch.utils import _cuda_extension

_loaded: dict[tuple[str, ...], Any] = {}


def architecture(compute_capability: str | None = None, device: int | None = None) -> str:
    """The name that NVRTC has for a GPU of that version, or for a device; the emulated device has its own.

    Raises:
        ValueError: the version is none
    """
    if compute_capability is None:
        major, minor = torch.cuda.get_device_capability(device)
        name = f"sm_{major}{minor}"
    else:
        found = re.fullmatch(r"(\d+)\.?(\d[af]?)", str(compute_capability))
        if not found:
            raise ValueError(f'_compile_kernel(): expected a compute_capability such as "90", got {compute_capability!r}')
        name = f"sm_{found[1]}{found[2]}"
    if initialize().is_emulated:
        from torch.cuda import _emulated_compiler

        return _emulated_compiler.identity()
    return name


def _compile(source: str, name: str, target: str, options: Sequence[str]) -> tuple[str, bytes]:
    if initialize().is_emulated:
        from torch.cuda import _emulated_compiler

        return _emulated_compiler.compile_kernel(source, name, options)
    standard = [] if any(re.match("--?std=", option) for option in options) else ["--std=c++17"]
    return initialize().compile_kernel(source, name, [f"--gpu-architecture={target}", *standard, *options])


def load(source: str, name: str, target: str, options: Sequence[str] = ()) -> Any:
    """The kernel of that name in a source, from memory, from a file, or compiled.

    Args:
        source (str): in CUDA C++
        name (str): of the kernel; may be an instance of a template
        target (str): an `architecture`
        options (Sequence[str]): of the compiler

    Returns:
        a LoadedKernel of the extension module

    Raises:
        RuntimeError: it does not compile; there is no compiler
    """
    module = initialize()
    identity = (source, name, target, *options)
    kernel = _loaded.get(identity)
    if kernel is None:
        key = _kernel_cache.key_of(torch.__version__, str(module.runtime_version), *identity)
        made = _kernel_cache.read(key)
        if made is None:
            made = _compile(source, name, target, options)
            _kernel_cache.write(key, *made)
        kernel = _loaded[identity] = module.LoadedKernel(*made)
    return kernel


def number_bytes(value: bool | int | float, size: int) -> bytes:
    """A Python number as a parameter of that many bytes: an integer, or a floating-point number.

    Raises:
        OverflowError: it does not fit
        TypeError: there is no such floating-point number
    """
    if isinstance(value, int):
        return int(value).to_bytes(size, "little", signed=value < 0)
    form = {2: "<e", 4: "<f", 8: "<d"}.get(size)
    if form is None:
        raise TypeError(f"the parameter has {size} bytes, which hold no float")
    return struct.pack(form, value)


class _CompiledKernel:
    """A kernel that `_compile_kernel` made. Calling it starts it, on the GPU of its tensors.

    Numbers are converted to the size of the parameter: 1 to 8 bytes for int and bool; half, float or double for float.

    Example:
        >>> kernel((4, 1, 1), (256, 1, 1), (x, y, 1000), shared_mem=1024)  # doctest: +SKIP
    """

    def __init__(self, name: str, kernel: Any) -> None:
        self.name = name
        self._kernel = kernel

    def __repr__(self) -> str:
        return f"<compiled kernel {self.name}, {len(self._kernel.parameter_sizes)} parameters>"

    def __call__(
        self,
        grid: tuple[int, int, int] = (1, 1, 1),
        block: tuple[int, int, int] = (1, 1, 1),
        args: Sequence[Any] | None = None,
        shared_mem: int = 0,
        stream: torch.Stream | None = None,
    ) -> None:
        """Starts the kernel.

        Args:
            grid (tuple): how many blocks there are in each dimension
            block (tuple): how many threads a block has in each dimension
            args (Sequence, optional): tensors on one GPU or in pinned memory, whose addresses are passed; int, float, bool
            shared_mem (int, default 0): bytes of shared memory for a block, beyond what the kernel declares
            stream (Stream, optional): where the work goes; by default to the current stream

        Raises:
            TypeError: another number of args than the kernel has parameters; an argument of another type
            ValueError: a tensor that is neither on that GPU nor in pinned memory
            OverflowError: a number that the parameter cannot hold
            RuntimeError: CUDA refuses the launch
        """
        args = () if args is None else args
        sizes = self._kernel.parameter_sizes
        if len(args) != len(sizes):
            raise TypeError(f"{self.name}: the kernel has {len(sizes)} parameters, got {len(args)} arguments")
        device = self._device_of(args, stream)
        values = [self._value_bytes(k, value, size) for k, (value, size) in enumerate(zip(args, sizes))]
        handle = None if stream is None else initialize().stream_handle(stream.stream_id, stream.device_index)
        self._kernel.launch(_dimensions("grid", grid), _dimensions("block", block), shared_mem, device, handle, values)
        if stream is not None:
            for value in args:
                if isinstance(value, torch.Tensor) and value.is_cuda:
                    value.record_stream(stream)

    def set_shared_memory_config(self, shared_mem_bytes: int) -> None:
        """Checks that blocks may have that much shared memory. Launches then allow it by themselves.

        Args:
            shared_mem_bytes (int): the bytes of a block

        Raises:
            RuntimeError: the GPU has less
        """
        limit = torch.cuda.get_device_properties().shared_memory_per_block_optin
        if shared_mem_bytes > limit:
            raise RuntimeError(
                f"{self.name}: a block may have {limit} bytes of shared memory on this GPU, not {shared_mem_bytes}"
            )

    def _device_of(self, args: Sequence[Any], stream: torch.Stream | None) -> int:
        """The GPU that the kernel runs on."""
        devices = {value.get_device() for value in args if isinstance(value, torch.Tensor) and value.is_cuda}
        if stream is not None:
            devices.add(stream.device_index)
        if len(devices) > 1:
            raise ValueError(f"{self.name}: expected the tensors and the stream on one GPU, got GPUs {sorted(devices)}")
        return devices.pop() if devices else torch.cuda.current_device()

    def _value_bytes(self, k: int, value: Any, size: int) -> bytes:
        if isinstance(value, torch.Tensor):
            if not value.is_cuda and not (value.device.type == "cpu" and value.is_pinned()):
                raise ValueError(
                    f"{self.name}: argument {k}: expected a tensor on a GPU or in pinned memory, got one on {value.device}"
                )
            if size != 8:
                raise TypeError(f"{self.name}: argument {k}: the parameter has {size} bytes and is no pointer, got a tensor")
            return value.data_ptr().to_bytes(8, "little")
        if not isinstance(value, (int, float)):
            raise TypeError(f"{self.name}: argument {k}: expected a tensor, int, float or bool, got {type(value).__name__}")
        try:
            return number_bytes(value, size)
        except (OverflowError, TypeError) as error:
            raise type(error)(f"{self.name}: argument {k}: {value} does not fit: {error}") from None


def _dimensions(what: str, given: Any) -> tuple[int, int, int]:
    sizes = (given,) if isinstance(given, int) else tuple(given)
    if not 1 <= len(sizes) <= 3 or not all(isinstance(size, int) and size > 0 for size in sizes):
        raise ValueError(f"{what}: expected up to three positive sizes, got {given}")
    return (*sizes, *(1,) * (3 - len(sizes)))  # type: ignore[return-value]


def _compile_kernel(
    kernel_source: str,
    kernel_name: str,
    compute_capability: str | None = None,
    cuda_include_dirs: list[str] | None = None,
    nvcc_options: list[str] | None = None,
) -> _CompiledKernel:
    """A kernel from its text, compiled by NVRTC. It is kept in a file, and compiled again only when something changes.

    Args:
        kernel_source (str): in CUDA C++
        kernel_name (str): of the kernel in it, extern "C" or not; may be an instance of a template, such as "scale<float>"
        compute_capability (str, optional): of the GPU to compile for, such as "90"; by default that of the current one
        cuda_include_dirs (list[str], optional): folders with headers
        nvcc_options (list[str], optional): options of NVRTC

    Returns:
        the kernel; call it with grid, block, args, shared_mem and stream

    Raises:
        AssertionError: this build has no CUDA
        TypeError: an argument of another type
        ValueError: no source or no name; a compute capability that is no version
        RuntimeError: it does not compile, with the compiler's log

    Example:
        >>> source = "__global__ void add(float* x, float y) { x[threadIdx.x] += y; }"
        >>> add = torch.cuda._compile_kernel(source, "add")  # doctest: +SKIP
        >>> x = torch.zeros(4, device="cuda")  # doctest: +SKIP
        >>> add((1, 1, 1), (4, 1, 1), (x, 2.0))  # doctest: +SKIP
        >>> x  # doctest: +SKIP
        tensor([2., 2., 2., 2.], device='cuda:0')
    """
    if not torch.cuda._BUILT:
        torch.cuda._refuse()
    for what, text in (("kernel_source", kernel_source), ("kernel_name", kernel_name)):
        if not isinstance(text, str):
            raise TypeError(f"_compile_kernel(): {what} must be a str, got {type(text).__name__}")
        if not text.strip():
            raise ValueError(f"_compile_kernel(): {what} is empty")
    for what, listed in (("cuda_include_dirs", cuda_include_dirs), ("nvcc_options", nvcc_options)):
        if isinstance(listed, str):
            raise TypeError(f"_compile_kernel(): {what} must be a list of str, got a str")
    folders = [*(cuda_include_dirs or ()), *_cuda_extension.include_paths()]
    options = [*(f"-I{folder}" for folder in folders), *(nvcc_options or ())]
    return _CompiledKernel(kernel_name, load(kernel_source, kernel_name, architecture(compute_capability), options))
