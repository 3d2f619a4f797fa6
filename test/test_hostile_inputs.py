"""Buffers, capsules and storages made to mislead: refused, never followed out of bounds. (Files: test_serialization.py.)"""

import ctypes

import numpy as np
import pytest

import torch

# --- NumPy ------------------------------------------------------------------------------------------------


class Pretender:
    """An object whose __array_interface__ is whatever it is given."""

    def __init__(self, **entries):
        self.backing = np.zeros(4, np.float32)
        self.__array_interface__ = {
            "version": 3,
            "shape": (4,),
            "typestr": "<f4",
            "data": (self.backing.ctypes.data, False),
            **entries,
        }


@pytest.mark.parametrize(
    "entries",
    [
        {"shape": (-1,)},
        {"shape": (2**62, 4)},
        {"shape": "no"},
        {"typestr": "<x9"},
        {"typestr": "O"},
        {"strides": (4, 4)},
        {"strides": ("a",)},
        {"data": "none"},
    ],
)
def test_array_interfaces_that_contradict_themselves(entries):
    with pytest.raises((TypeError, ValueError, RuntimeError, OverflowError)):
        torch.as_tensor(Pretender(**entries))


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(4)[::-1],
        np.zeros(3, ">f4"),
        np.array(["a"]),
        np.zeros(2, "O"),
        np.zeros(2, "M8[s]"),
        np.zeros(2, [("a", "f4"), ("b", "i2")]),
        np.lib.stride_tricks.as_strided(np.zeros(8, np.float32), (2,), (3,)),
    ],
)
def test_arrays_that_no_tensor_can_share(array):
    with pytest.raises((TypeError, ValueError)):
        torch.from_numpy(array)


# --- DLPack -----------------------------------------------------------------------------------------------


class DLDevice(ctypes.Structure):
    _fields_ = [("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32)]


class DLDataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", DLDevice),
        ("ndim", ctypes.c_int32),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class DLManagedTensor(ctypes.Structure):
    _fields_ = [("dl_tensor", DLTensor), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


NAME = ctypes.create_string_buffer(b"dltensor")
OTHER_NAME = ctypes.create_string_buffer(b"something else")
new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype = ctypes.py_object
new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def capsule(keep, name=NAME, shape=(2, 2), strides=None, **fields):
    values = (ctypes.c_float * 4)(1, 2, 3, 4)
    sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    steps = (ctypes.c_int64 * len(strides))(*strides) if strides else None
    tensor = DLTensor(ctypes.addressof(values), DLDevice(1, 0), len(shape), DLDataType(2, 32, 1), sizes, steps, 0)
    for field, value in fields.items():
        setattr(tensor, field, value)
    managed = DLManagedTensor(tensor, None, None)
    keep += [values, sizes, steps, managed]
    return new_capsule(ctypes.addressof(managed), ctypes.cast(name, ctypes.c_char_p), None)


def test_a_good_capsule_is_read_once():
    keep = []
    c = capsule(keep)
    assert torch.from_dlpack(c).tolist() == [[1, 2], [3, 4]]
    with pytest.raises((RuntimeError, ValueError, BufferError)):
        torch.from_dlpack(c)


@pytest.mark.parametrize(
    "fields",
    [
        {"ndim": -1},
        {"ndim": 100000},
        {"shape": (-2, 2)},
        {"shape": (2**62, 8)},
        {"dtype": DLDataType(2, 7, 1)},
        {"dtype": DLDataType(2, 32, 4)},
        {"dtype": DLDataType(77, 32, 1)},
        {"device": DLDevice(99, 0)},
        {"strides": (-1, 1)},
        {"name": OTHER_NAME},
        {"data": None},
    ],
)
def test_capsules_that_lie(fields):
    keep = []
    with pytest.raises((RuntimeError, ValueError, TypeError, BufferError, NotImplementedError)):
        torch.from_dlpack(capsule(keep, **fields))


def exported(kind):
    x = torch.ones(100_000)
    if kind == "numpy":
        return x, x.numpy()
    if kind == "slice":
        return x, x.untyped_storage()[8:400_000]
    return x, torch.from_dlpack({"dlpack": x, "versioned": torch.utils.dlpack.to_dlpack(x)}[kind])


@pytest.mark.parametrize("kind", ["dlpack", "versioned", "numpy", "slice"])
def test_exported_memory_stays(kind):
    """Memory that others point into is neither resized nor freed, whatever happens to the tensor."""
    x, importer = exported(kind)
    for change in (
        lambda: x.untyped_storage().resize_(0),
        lambda: x.resize_(1 << 20),
        lambda: x.untyped_storage().resize_(1 << 22),
    ):
        with pytest.raises(RuntimeError, match="not resizable"):
            change()
    x.set_()
    x.data = torch.zeros(3)
    keep = [torch.full((100_000,), 9.0) for _ in range(5)]
    first = importer[0] if kind != "slice" else importer[3]
    assert first == (1 if kind != "slice" else 63) and len(keep) == 5  # 1.0 ends with the bytes 128 and 63


@pytest.mark.parametrize("what", [None, 3, "capsule", object(), lambda: 0])
def test_what_is_no_capsule(what):
    with pytest.raises((RuntimeError, TypeError, AttributeError, ValueError)):
        torch.from_dlpack(what)
    taker = type("T", (), {"__dlpack__": lambda self, **k: what, "__dlpack_device__": lambda self: (1, 0)})()
    with pytest.raises((RuntimeError, TypeError, AttributeError, ValueError)):
        torch.from_dlpack(taker)


# --- storages ---------------------------------------------------------------------------------------------


def test_a_storage_that_was_made_smaller_is_not_read():
    x = torch.arange(100.0)
    view = x[50:]
    x.untyped_storage().resize_(16)
    for call in (
        lambda: x + 1,
        lambda: view.sum(),
        lambda: x.tolist(),
        lambda: x.fill_(1),
        lambda: x[99].item(),
        lambda: repr(view),
    ):
        with pytest.raises(RuntimeError, match="resized"):
            call()
    assert x[:4].tolist() == [0, 1, 2, 3]
    x.untyped_storage().resize_(400)
    assert (x + 1).shape == (100,)


def test_devices_are_not_mixed():
    weight, places = torch.ones(4, 4), torch.zeros(3, dtype=torch.long, device="meta")
    for call in (
        lambda: torch.nn.functional.embedding(places, weight),
        lambda: torch.take_along_dim(weight, places[None], 0),
        lambda: weight[places],
        lambda: weight @ torch.ones(4, 4, device="meta"),
    ):
        with pytest.raises((RuntimeError, NotImplementedError)):
            call().tolist()


@pytest.mark.parametrize("mode", ["reflect", "replicate"])
def test_padding_without_data_takes_no_memory(mode):
    long = torch.empty(1, 2**40, device="meta")
    assert torch.nn.functional.pad(long, (5, 6), mode).shape == (1, 2**40 + 11)


def test_more_bins_than_can_be_counted():
    with pytest.raises(RuntimeError, match="7 bins in each of 1099511627776 dimensions"):
        torch.histogramdd(torch.empty(0, 2**40), 7)


def test_offsets_at_the_ends_of_int64():
    far = 2**63 - 1
    assert torch.tril_indices(0, far, far).shape == (2, 0) and torch.triu_indices(2, 1, -far - 1).shape == (2, 2)
    assert torch.tril_indices(2, 3, far).shape == (2, 6) and torch.triu_indices(0, far, far).shape == (2, 0)
    with pytest.raises(RuntimeError, match="too large"):
        torch.diagflat(torch.ones(2), -far - 1)


def test_a_number_cannot_be_changed_in_place():
    for call in (
        lambda: torch.ops.aten.subtract_.Scalar(3.5, 0.0, -100),
        lambda: torch.ops.aten.add_.Tensor(3.5, torch.ones(())),
        lambda: torch.ops.aten.mul_(True, 2),
    ):
        with pytest.raises((TypeError, RuntimeError), match="must be Tensor, not"):
            call()


@pytest.mark.parametrize("size", [(0, 1), (1, 0), (0, 0)])
def test_adaptive_pools_of_no_windows(size):
    for x in (torch.ones(2, 4, 6, 6), torch.ones(2, 4, 6, 6).to(memory_format=torch.channels_last)):
        x.requires_grad_()
        for pool in (torch.nn.functional.adaptive_max_pool2d, torch.nn.functional.adaptive_avg_pool2d):
            result = pool(x, size)
            assert result.shape == (2, 4, *size)
            assert torch.autograd.grad(result.sum(), x)[0].abs().max() == 0
    with pytest.raises(RuntimeError, match="too large"):
        torch.nn.functional.adaptive_avg_pool1d(torch.ones(2, 0, 3), 2**63 - 1)
