"""Memory shared with other libraries: DLPack and __cuda_array_interface__, with the streams of both."""

import ctypes
import gc
import re

import pytest
from gpus import IS_EMULATED, LAST, two_devices

import torch
from torch.utils.dlpack import DLDeviceType


class Array:
    """What another library shows of its memory."""

    def __init__(self, face):
        self.__cuda_array_interface__ = face


class Exporter:
    """An array of another library, which remembers what it was asked."""

    def __init__(self, tensor):
        self.tensor, self.asked = tensor, None

    def __dlpack__(self, **options):
        self.asked = options
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


# --- DLPack ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int8, torch.bool, torch.complex64])
def test_dlpack_shares_memory(dtype):
    x = torch.ones(2, 3, device=LAST).to(dtype).t()
    assert x.__dlpack_device__() == (DLDeviceType.kDLCUDA, LAST.index)
    for y in (torch.from_dlpack(x), torch.from_dlpack(x.__dlpack__()), torch.from_dlpack(x.__dlpack__(max_version=(1, 0)))):
        assert (y.device, y.dtype, y.shape, y.stride(), y.data_ptr()) == (x.device, dtype, x.shape, x.stride(), x.data_ptr())
        y.zero_()
        assert not x.any()


def test_dlpack_keeps_the_memory():
    x = torch.arange(1000.0, device="cuda")
    address, before = x.data_ptr(), torch.cuda.memory_allocated()
    capsule = x.__dlpack__()
    del x
    assert torch.empty(1000, device="cuda").data_ptr() != address
    y = torch.from_dlpack(capsule)
    with pytest.raises(RuntimeError, match="only once"):
        torch.from_dlpack(capsule)
    part = y[10:]
    del y, capsule
    assert part[0].item() == 10
    assert torch.cuda.memory_allocated() == before
    del part
    gc.collect()
    assert torch.cuda.memory_allocated() < before
    unused = torch.ones(1000, device="cuda").__dlpack__()
    del unused  # nobody took it
    assert torch.cuda.memory_allocated() < before


def test_dlpack_stream():
    # A stream of the taker waits for the work that the current one has; -1 asks for no wait.
    side = torch.cuda.Stream()
    for stream, expected in ((side.cuda_stream, 2), (-1, 1)):
        x = torch.ones(8, device="cuda")
        torch.cuda.synchronize()
        x.add_(1)
        y = torch.from_dlpack(x.__dlpack__(stream=stream))
        with torch.cuda.stream(side):
            z = y.clone()
        side.synchronize()
        assert z.tolist() == [expected] * 8 or (stream == -1 and not IS_EMULATED)
        torch.cuda.synchronize()


@pytest.mark.parametrize("number", [None, 1])
def test_dlpack_default_stream(number):
    side = torch.cuda.Stream()
    x = torch.ones(8, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        x.add_(1)
        capsule = x.__dlpack__(stream=number)
    assert torch.from_dlpack(capsule).tolist() == [2] * 8


def test_dlpack_stream_of_the_thread():
    x = torch.ones(8, device="cuda")
    torch.cuda.synchronize()
    x.add_(1)
    y = torch.from_dlpack(x.__dlpack__(stream=2))
    with torch.cuda.stream(torch.cuda.ExternalStream(2)):
        assert y.clone().tolist() == [2] * 8


@two_devices
def test_dlpack_import_names_our_stream():
    side = torch.cuda.Stream(1)
    array = Exporter(torch.ones(2, device="cuda:1"))
    torch.from_dlpack(array)
    assert array.asked == {"max_version": (1, 0), "stream": 1}
    with torch.cuda.stream(side):
        torch.from_dlpack(array)
    assert array.asked["stream"] == side.cuda_stream


@two_devices
def test_dlpack_devices_and_copies():
    x = torch.arange(3.0, device="cuda")
    assert torch.from_dlpack(x, copy=True).data_ptr() != x.data_ptr()
    assert torch.from_dlpack(x.__dlpack__(copy=True)).data_ptr() != x.data_ptr()
    assert torch.from_dlpack(x.__dlpack__(copy=False)).data_ptr() == x.data_ptr()
    assert torch.from_dlpack(x.__dlpack__(dl_device=(1, 0))).device.type == "cpu"
    assert torch.from_dlpack(x.__dlpack__(dl_device=(2, 1))).tolist() == [0, 1, 2]
    assert torch.from_dlpack(x.cpu().__dlpack__(dl_device=(2, 1), stream=1)).device.index == 1
    assert torch.from_dlpack(x, device="cpu").device.type == "cpu" and torch.from_dlpack(x, device="cuda:1").device.index == 1
    assert torch.from_dlpack(x, device="cuda").data_ptr() == x.data_ptr()
    with pytest.raises(ValueError, match="needs a copy"):
        x.__dlpack__(dl_device=(1, 0), copy=False)
    with pytest.raises(ValueError, match="needs a copy"):
        torch.from_dlpack(x, device="cuda:1", copy=False)


def test_dlpack_errors():
    x = torch.ones(2, device="cuda")
    for stream, kind in ((0, BufferError), ("a", TypeError), (1.5, TypeError), (True, TypeError), (3, RuntimeError)):
        with pytest.raises(kind, match="stream"):
            x.__dlpack__(stream=stream)
    for device, kind in (((3, 0), BufferError), ((1,), RuntimeError), ((2, 9), RuntimeError)):
        with pytest.raises(kind):
            x.__dlpack__(dl_device=device)
    with pytest.raises(BufferError, match="gradient"):
        x.clone().requires_grad_().__dlpack__()
    with pytest.raises(BufferError, match="conjugate"):
        x.to(torch.complex64).conj().__dlpack__()


# --- __cuda_array_interface__ ---------------------------------------------------------------------
def test_array_interface_of_a_tensor():
    x = torch.arange(6.0, device="cuda").view(2, 3)
    assert x.__cuda_array_interface__ == {
        "typestr": "<f4", "shape": (2, 3), "strides": None, "data": (x.data_ptr(), False), "version": 3, "stream": 1,
    }  # fmt: skip
    assert x.t().__cuda_array_interface__["strides"] == (4, 12)
    assert x[:0].__cuda_array_interface__["data"] == (0, False)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        assert x.__cuda_array_interface__["stream"] == side.cuda_stream
    kinds = {torch.bool: "|b1", torch.uint8: "|u1", torch.int64: "<i8", torch.complex128: "<c16", torch.bfloat16: "<V2"}
    for dtype, text in kinds.items():
        assert x.to(dtype).__cuda_array_interface__["typestr"] == text
    assert "__cuda_array_interface__" in dir(x)


def test_array_interface_of_other_tensors():
    assert not hasattr(torch.ones(1), "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="non-CUDA tensor type: torch.FloatTensor"):
        _ = torch.ones(1).__cuda_array_interface__
    x = torch.ones(2, device="cuda")
    with pytest.raises(RuntimeError, match=r"requires grad.*var\.detach\(\)"):
        _ = x.clone().requires_grad_().__cuda_array_interface__
    with pytest.raises(RuntimeError, match="conjugate"):
        _ = x.to(torch.complex64).conj().__cuda_array_interface__


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.int32, torch.uint8, torch.bool, torch.complex64])
def test_tensors_of_arrays(dtype):
    x = torch.tensor([[1, 0, 1], [0, 1, 1]], device=LAST).to(dtype)
    for source in (x, x.t(), x[:, :2]):
        array = Array(source.__cuda_array_interface__)
        shared = torch.as_tensor(array)
        assert shared.data_ptr() == source.data_ptr() and shared.stride() == source.stride() and shared.device == x.device
        assert torch.equal(shared, source) and shared.dtype == dtype
        assert torch.as_tensor(array, device=LAST).data_ptr() == torch.asarray(array).data_ptr() == source.data_ptr()
        copy = torch.tensor(array)
        assert torch.equal(copy, source) and copy.data_ptr() != source.data_ptr()
        assert torch.as_tensor(array, device="cpu").tolist() == source.tolist()
        assert torch.as_tensor(array, dtype=torch.int64).dtype == torch.int64
    assert torch.as_tensor(Array(x[:0].__cuda_array_interface__)).shape == (0, 3)


def test_the_array_is_kept():
    x = torch.arange(1000.0, device="cuda")
    array = Array(x.__cuda_array_interface__)
    array.memory = x
    shared, address = torch.as_tensor(array), x.data_ptr()
    del x, array
    assert torch.empty(1000, device="cuda").data_ptr() != address and shared[7].item() == 7
    before = torch.cuda.memory_allocated()
    del shared
    gc.collect()
    assert torch.cuda.memory_allocated() < before


def test_the_stream_of_an_array_is_waited_for():
    side = torch.cuda.Stream()
    x = torch.ones(8, device="cuda")
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        x.add_(1)
        face = x.__cuda_array_interface__
    assert (torch.as_tensor(Array(face)) * 1).tolist() == [2] * 8
    with torch.cuda.stream(side):
        x.add_(1)
    unordered = torch.as_tensor(Array({**face, "stream": None})) * 1
    assert unordered.tolist() == [2] * 8 or not IS_EMULATED  # nobody asked for a wait
    torch.cuda.synchronize()


@pytest.mark.parametrize(
    ("field", "value", "kind", "text"),
    [
        ("typestr", "<q9", ValueError, "cannot parse `typestr` '<q9'"),
        ("typestr", ">f4", ValueError, "byte order"),
        ("typestr", 4, TypeError, "`typestr` must be a str, got int"),
        ("shape", [2], TypeError, "`shape` must be a tuple, got list"),
        ("shape", (-1,), ValueError, "not negative"),
        ("strides", (3,), ValueError, "not a multiple of the element byte size"),
        ("strides", (-4,), ValueError, "negative strides"),
        ("strides", (4, 4), TypeError, "as long as `shape`"),
        ("stream", 0, ValueError, "`stream` must be None, or a number other than 0"),
        ("mask", 1, ValueError, "`mask`"),
    ],
)
def test_fields_that_are_refused(field, value, kind, text):
    face = torch.ones(2, device="cuda").__cuda_array_interface__
    with pytest.raises(kind, match=re.escape(text)):
        torch.as_tensor(Array({**face, field: value}))


def test_memory_that_is_refused():
    x = torch.ones(2, device="cuda")
    face = x.__cuda_array_interface__
    with pytest.raises(TypeError, match="read only flag is not supported"):
        torch.as_tensor(Array({**face, "data": (x.data_ptr(), True)}))
    with pytest.raises(ValueError, match="is not the address of memory of a GPU"):
        torch.as_tensor(Array({**face, "data": (x.cpu().data_ptr(), False)}))
    with pytest.raises(TypeError, match="must be a dict"):
        torch.as_tensor(Array(3))
    with pytest.raises(TypeError, match="attribute `typestr` must exist"):
        torch.as_tensor(Array({"shape": (2,)}))


def test_as_tensor_does_not_copy():
    x = torch.ones(2, device="cuda")
    assert torch.as_tensor(x, device="cuda").data_ptr() == x.data_ptr()
    assert torch.as_tensor(x, device=LAST).device == LAST


# --- DLPack from C --------------------------------------------------------------------------------
class Shape(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


def exchange_functions():
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(torch.Tensor.__dlpack_c_exchange_api__, b"dlpack_exchange_api")
    assert list((ctypes.c_uint32 * 2).from_address(table)) == [1, 3]
    allocate, from_object, to_object, look, stream = (ctypes.c_void_p * 5).from_address(table + 16)
    pointer, number = ctypes.c_void_p, ctypes.c_int32
    set_error = ctypes.CFUNCTYPE(None, pointer, ctypes.c_char_p, ctypes.c_char_p)
    return (
        ctypes.PYFUNCTYPE(number, ctypes.POINTER(Shape), ctypes.POINTER(pointer), pointer, set_error)(allocate), set_error,
        ctypes.PYFUNCTYPE(number, ctypes.py_object, ctypes.POINTER(pointer))(from_object),
        ctypes.PYFUNCTYPE(number, pointer, ctypes.POINTER(ctypes.py_object))(to_object),
        ctypes.PYFUNCTYPE(number, ctypes.py_object, ctypes.POINTER(Shape))(look),
        ctypes.PYFUNCTYPE(number, number, number, ctypes.POINTER(pointer))(stream),
    )  # fmt: skip


@pytest.mark.parametrize("place", ["cpu", str(LAST)])
def test_functions_for_c(place):
    allocate, set_error, from_object, to_object, look, current_stream = exchange_functions()
    x = torch.arange(6.0, device=place).view(2, 3).t()
    managed, made, seen, stream = ctypes.c_void_p(), ctypes.py_object(), Shape(), ctypes.c_void_p(1)
    assert from_object(x, ctypes.byref(managed)) == 0 and to_object(managed, ctypes.byref(made)) == 0
    y = made.value
    assert (y.data_ptr(), y.device, y.stride()) == (x.data_ptr(), x.device, x.stride()) and torch.equal(x, y)
    assert look(x, ctypes.byref(seen)) == 0
    assert (seen.data, seen.ndim, seen.code, seen.bits, seen.shape[:2], seen.strides[:2]) == (
        x.data_ptr(),
        2,
        2,
        32,
        [3, 2],
        [1, 3],
    )
    assert (seen.device_type, seen.device_id) == x.__dlpack_device__()
    assert allocate(seen, ctypes.byref(managed), None, set_error(0)) == 0 and to_object(managed, ctypes.byref(made)) == 0
    assert (made.value.shape, made.value.dtype, made.value.device) == (x.shape, x.dtype, x.device)
    side = torch.cuda.Stream(LAST)
    with torch.cuda.stream(side):
        assert current_stream(seen.device_type, seen.device_id, ctypes.byref(stream)) == 0
    assert (stream.value or 0) == (side.cuda_stream if x.is_cuda else 0)
    texts = []
    seen.device_type = 99
    assert allocate(seen, ctypes.byref(managed), None, set_error(lambda context, kind, text: texts.append((kind, text)))) == -1
    assert texts[0][0] == b"RuntimeError" and b"device type 99" in texts[0][1]
    with pytest.raises(TypeError, match="expected a Tensor, got int"):
        from_object(3, ctypes.byref(managed))
