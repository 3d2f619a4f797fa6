"""What NVIDIA's driver says of the first GPU, without torch: its peaks, and how long it takes to begin. Runs under any Python."""

import ctypes
import time

# Operations of bfloat16 products for each multiprocessor and clock, by compute capability: dense, summed in float32.
TENSOR_CORES = {(8, 0): 2048, (8, 6): 512, (8, 7): 1024, (8, 9): 512, (9, 0): 4096, (10, 0): 8192, (10, 3): 8192, (12, 0): 512}
CLOCK, MULTIPROCESSORS, MEMORY_CLOCK, BUS_BITS, MAJOR, MINOR = 13, 16, 36, 37, 75, 76  # of cuDeviceGetAttribute


def driver():
    """libcuda, begun; None where there is none, as with the emulated device."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    return library if library.cuInit(0) == 0 else None


def seconds_to_begin():
    """The driver's own part of the first use of a GPU in a process; call it in a new one."""
    began = time.perf_counter()
    library = driver()
    if library is None:
        return 0.0
    context = ctypes.c_void_p()
    if library.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) != 0:
        return 0.0
    return time.perf_counter() - began


def peaks():
    """(bytes, operations of bfloat16 products) per second at the highest clocks; None for what is not known."""
    library = driver()
    if library is None:
        return None, None

    def attribute(number):
        value = ctypes.c_int()
        return value.value if library.cuDeviceGetAttribute(ctypes.byref(value), number, 0) == 0 else 0

    memory = 2 * attribute(MEMORY_CLOCK) * 1e3 * attribute(BUS_BITS) / 8
    each = TENSOR_CORES.get((attribute(MAJOR), attribute(MINOR)), 0)
    return memory or None, each * attribute(MULTIPROCESSORS) * attribute(CLOCK) * 1e3 or None
