"""Devices of torch.cuda in a build with CUDA: which there are, which is current, what they can do."""

from __future__ import annotations

import ctypes
import types
import uuid as _uuid
from typing import Any

import torch
from torch.cuda._runtime import extension, index_of, initialize


def init() -> None:
    """Loads the CUDA backend, which otherwise happens when a GPU is first used."""
    initialize()


def device_count() -> int:
    """The number of GPUs that this process sees."""
    return extension().device_count()


def is_available() -> bool:
    """Whether there is a GPU that this build can use."""
    return device_count() > 0


def current_device() -> int:
    """The index of the GPU that new tensors on "cuda" are made on."""
    return initialize().current_device()


def set_device(device: Any) -> None:
    """Makes a GPU current. A negative index changes nothing."""
    index = index_of(device, optional=False)
    if index >= 0:
        initialize().set_device(index)


def _exchange_device(device: int) -> int:
    """Makes a GPU current, and returns the number of the one before. A negative number changes nothing, and is returned."""
    return initialize().exchange_device(device) if device >= 0 else -1


_maybe_exchange_device = _exchange_device


def synchronize(device: Any = None) -> None:
    """Waits until a GPU has done all work that it was given."""
    initialize().synchronize(index_of(device))


class _CudaDeviceProperties(types.SimpleNamespace):
    """What CUDA says about one GPU: name, major, minor, total_memory in bytes, multi_processor_count, ..."""

    # What is printed: what tells GPUs apart.
    _SHOWN = ("name", "major", "minor", "total_memory", "multi_processor_count", "uuid", "pci_bus_id", "L2_cache_size")

    def __repr__(self) -> str:
        def text(name: str) -> str:
            value = getattr(self, name)
            if name in ("total_memory", "L2_cache_size"):
                return f"{value >> 20}MB"
            return repr(value) if name == "name" else str(value)

        return "_CudaDeviceProperties(" + ", ".join(f"{name}={text(name)}" for name in self._SHOWN) + ")"


def get_device_properties(device: Any = None) -> _CudaDeviceProperties:
    """What CUDA says about a GPU: name, major, minor, total_memory, multi_processor_count, ..."""
    facts = initialize().properties(index_of(device))
    facts["uuid"] = _uuid.UUID(bytes=facts["uuid"])
    facts["gcnArchName"] = facts["name"]
    return _CudaDeviceProperties(**facts)


def get_device_name(device: Any = None) -> str:
    """The name of a GPU."""
    return get_device_properties(device).name


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The version of a GPU's instructions, as (major, minor)."""
    facts = get_device_properties(device)
    return facts.major, facts.minor


def can_device_access_peer(device: Any, peer_device: Any) -> bool:
    """Whether one GPU reads the memory of another one directly. The first copy between them enables it."""
    first, second = index_of(device, optional=False), index_of(peer_device, optional=False)
    count = initialize().device_count()
    for argument, index in (("device", first), ("peer_device", second)):
        if not 0 <= index < count:
            raise AssertionError(f"can_device_access_peer(): {argument}: there is no cuda:{index}; this process sees {count}")
    return initialize().can_access_peer(first, second)


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the current GPU computes in bfloat16."""
    return is_available() and (including_emulation or get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Whether the current GPU has matrix instructions of TF32."""
    return is_available() and get_device_capability()[0] >= 8


class device:
    """A block with another current GPU; a negative number, or None, changes nothing."""

    def __init__(self, device: Any) -> None:
        self.idx = -1 if device is None else index_of(device, optional=False)
        self.previous = -1

    def __enter__(self) -> None:
        self.previous = initialize().exchange_device(self.idx) if self.idx >= 0 else -1

    def __exit__(self, *problem: object) -> None:
        if self.previous >= 0:
            initialize().exchange_device(self.previous)


class device_of(device):
    """A block with the GPU of a tensor as the current one; other tensors change nothing."""

    def __init__(self, obj: Any) -> None:
        super().__init__(obj.get_device() if getattr(obj, "is_cuda", False) else -1)


class Stream(torch.Stream):
    """A queue of work on a GPU: a new one, or the one of an id."""

    def __new__(cls, device: Any = None, priority: int = 0, **given: Any) -> Stream:
        if "stream_id" in given:
            return super().__new__(cls, **given)
        return super().__new__(cls, torch.device("cuda", index_of(device)), priority=priority)

    @property
    def cuda_stream(self) -> int:
        """The address of CUDA's own object."""
        return extension().stream_handle(self.stream_id, self.device_index)

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        """What a function of ctypes gets for the stream: the address."""
        return ctypes.c_void_p(self.cuda_stream)

    @property
    def priority(self) -> int:
        """0, or a negative number for a stream whose work goes first."""
        return extension().stream_priority(self.stream_id, self.device_index)

    @staticmethod
    def priority_range() -> tuple[int, int]:
        """The lowest and the highest priority."""
        return initialize().stream_priority_range()

    def record_event(self, event: Any = None) -> Any:
        """Records an event, a new one by default."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def __repr__(self) -> str:
        return f"<torch.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


def _as_cuda(stream: torch.Stream) -> Stream:
    return Stream(stream_id=stream.stream_id, device_index=stream.device_index, device_type=stream.device_type)


class Event(torch.Event):
    """A point in a stream's work, for other streams to wait for, and to be timed.

    Args:
        enable_timing (bool, default False): whether elapsed_time() is asked
        blocking (bool, default False): whether synchronize() sleeps, instead of asking the GPU again and again; without
            effect for events of several processes
        interprocess (bool, default False): whether other processes are told of it
        external (bool, default False): in a capture, record() and wait() are steps of the graph, which others see each time
            that it runs, and not an order among its steps
    """

    def __new__(
        cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False, external: bool = False
    ) -> Event:
        if interprocess and enable_timing:
            raise RuntimeError("Event(): an event of several processes has no time: interprocess or enable_timing must be False")
        made = super().__new__(cls, "cuda", enable_timing=enable_timing, blocking=blocking)
        made._interprocess, made._external, made._has_time = bool(interprocess), bool(external), bool(enable_timing)
        made._blocking = bool(blocking)
        return made

    def record(self, stream: Any = None) -> None:
        """Records the point that a stream has reached; the current one by default."""
        stream = current_stream() if stream is None else stream
        if (self._interprocess or self._external or self._blocking) and not self.event_id:
            self._make(stream.device_index)
        if self._external:
            initialize().record_external(self.event_id, stream.stream_id, stream.device_index)
        else:
            super().record(stream)

    def _make(self, index: int) -> None:
        module = initialize()
        if self._interprocess:
            self._adopt(module.ipc_make_event(index), index)
        else:
            self._adopt(module.make_event(index, self._has_time, self._blocking), index)

    @property
    def cuda_event(self) -> int:
        """The address of CUDA's own object; 0 before the event is recorded."""
        return self.event_id

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        """What a function of ctypes gets for the event: that address."""
        return ctypes.c_void_p(self.cuda_event)

    def ipc_handle(self) -> bytes:
        """What `from_ipc_handle` takes in another process. The event is made on the current GPU if it was not recorded yet."""
        if not self._interprocess:
            raise RuntimeError("ipc_handle(): the event was not made with interprocess=True")
        if not self.event_id:
            self._make(initialize().current_device())
        return initialize().ipc_event_handle(self.event_id)

    @classmethod
    def from_ipc_handle(cls, device: Any, handle: bytes) -> Event:
        """The event of another process, which must live as long as this one is used."""
        index = index_of(device, optional=False)
        made = cls(interprocess=True)
        made._adopt(initialize().ipc_open_event(index, handle), index)
        return made

    def __reduce__(self) -> Any:
        from torch.multiprocessing.reductions import reduce_event

        return reduce_event(self)

    def wait(self, stream: Any = None) -> None:
        """Later work of a stream, the current one by default, waits for the event."""
        stream = current_stream() if stream is None else stream
        if self._external and not self.event_id:
            self._make(stream.device_index)
        if self._external:
            initialize().wait_external(self.event_id, stream.stream_id, stream.device_index)
        else:
            super().wait(stream)


def current_stream(device: Any = None) -> Stream:
    """The stream that work on a GPU goes to."""
    return _as_cuda(torch._C._accelerator_current_stream(torch.device("cuda", index_of(device))))


def default_stream(device: Any = None) -> Stream:
    """The stream that is current at the start."""
    index = index_of(device)
    return Stream(stream_id=0, device_index=index, device_type=current_stream(index).device_type)


def set_stream(stream: torch.Stream | None) -> None:
    """Makes a stream, and its GPU, current. None changes nothing."""
    if stream is not None:
        torch._C._accelerator_set_stream(stream)


def _set_stream_by_id(stream_id: int, device_index: int, device_type: int) -> None:
    """The same for a stream that is given by its numbers."""
    set_stream(Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))


class StreamContext:
    """A block with another current stream, and its GPU; None changes nothing."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self.before: list[Any] = []

    def __enter__(self) -> None:
        if self.stream is None:
            return
        self.before.append((current_device(), current_stream(self.stream.device)))
        set_stream(self.stream)

    def __exit__(self, *problem: object) -> None:
        if self.stream is None:
            return
        device, stream = self.before.pop()
        set_stream(stream)
        set_device(device)


def stream(stream: torch.Stream | None) -> StreamContext:
    """A block with another current stream."""
    return StreamContext(stream)


class ExternalStream(Stream):
    """A stream of another library, by its address. Whoever made it keeps it alive.

    Args:
        stream_ptr (int): the address of CUDA's object
        device (device, optional): its GPU; the current one by default
    """

    def __new__(cls, stream_ptr: int, device: Any = None, **given: Any) -> ExternalStream:
        number, index = initialize().stream_of_handle(stream_ptr, index_of(device))
        kind = default_stream(index).device_type
        return Stream.__new__(cls, stream_id=number, device_index=index, device_type=kind)

    def __init__(self, *given: Any, **named: Any) -> None:
        pass


def get_stream_from_external(data_ptr: int, device: Any = None) -> Stream:
    """The stream of another library, by its address."""
    return _as_cuda(ExternalStream(data_ptr, device))


_SYNC_MODES = {"default": 0, "warn": 1, "error": 2}


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """What copies that block, and item(), do besides waiting for the GPU: "default" (0) nothing, "warn" (1), "error" (2)."""
    mode = _SYNC_MODES.get(debug_mode) if isinstance(debug_mode, str) else debug_mode
    if mode not in (0, 1, 2):
        raise RuntimeError(f'set_sync_debug_mode(): expected "default", "warn" or "error", got {debug_mode!r}')
    initialize().set_sync_debug_mode(mode)


def get_sync_debug_mode() -> int:
    """The number of that mode."""
    return initialize().sync_debug_mode()


def get_arch_list() -> list[str]:
    """The GPUs that this build has code for, such as "sm_90"; "compute_90" stands for newer ones."""
    return extension().arch_list().split() if is_available() else []


def get_gencode_flags() -> str:
    """The same as flags for NVIDIA's compiler."""
    made = [name.split("_") for name in get_arch_list()]
    return " ".join(f"-gencode compute=compute_{number},code={kind}_{number}" for kind, number in made)


def cudart() -> types.ModuleType:
    """Single calls of the CUDA runtime, which return its numbers."""
    return initialize().cudart


def check_error(res: int) -> None:
    """Raises a `CudaError` for a number other than 0 that a call of `cudart()` returned."""
    if res != 0:
        raise torch.cuda.CudaError(res)
