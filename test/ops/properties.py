"""What a tensor is, as operators: the references read it off NumPy's arrays, or are written out."""

import numpy as np

import torch
from ops.common import ALL, LIB, VALUES, Sample, internal, rand

QUERY = {"grad": False, "noncontiguous": False}


def shapes(dtype):
    return [Sample(rand(*s, dtype=dtype)) for s in ((), (3,), (2, 3), (0, 2))]


def pairs(dtype):
    x = rand(2, 3, dtype=dtype)
    return [Sample(x, (y,)) for y in (x, x[:1], torch.ones(2, 3), torch.ones(3, 2))]


def queried(name, ref, make=shapes, overload="default", **kwargs):
    """The operator's answer as a tensor."""
    op = getattr(getattr(LIB, name), overload)
    return internal(name, make, ref, ALL, call=lambda *args: torch.as_tensor(op(*args)), meta=False, **{**QUERY, **kwargs})


def along(*dims):
    return lambda dtype: [Sample(rand(2, 3, dtype=dtype), (d,)) for d in dims]


def formats(dtype):
    x = rand(2, 3, 4, 5, dtype=dtype)
    return [Sample(x, (f,)) for f in (torch.contiguous_format, torch.channels_last)]


def numbers(dtype):
    return [Sample(rand(2, dtype=dtype), (v,)) for v in (True, 2, 1.5, 2j)]


def gradients(x):
    leaf = x.detach().requires_grad_()
    LIB.backward((leaf * leaf).sum())
    LIB.backward(leaf * 3, torch.ones_like(leaf))
    return leaf.grad


def marked(x):
    leaf = x.detach().clone()
    assert LIB.requires_grad_(leaf).requires_grad and not LIB.requires_grad_(leaf, False).requires_grad
    return leaf


ONE, TWO = torch.ones(1), torch.ones(2)

OPS = [
    queried("is_complex", np.iscomplexobj),
    queried("is_floating_point", None),
    queried("is_signed", None),
    queried("is_inference", lambda x: False),
    queried("is_distributed", lambda x: False),
    queried("is_pinned", lambda x: False),
    queried("is_non_overlapping_and_dense", lambda x: True),
    queried("numel", np.size),
    queried("element_size", None),
    queried("storage_offset", lambda x: 0),
    queried("_version", None),
    queried("is_leaf", lambda x: True),
    queried("retains_grad", lambda x: False),
    queried("output_nr", lambda x: 0),
    queried("_debug_has_internal_overlap", lambda x: 0),
    queried("stride", lambda x: np.array(x.strides, dtype=np.int64) // x.itemsize, lambda dtype: [Sample(rand(*s, dtype=dtype)) for s in ((2, 3), (4, 1, 5))]),
    queried("stride", lambda x, d: x.strides[d] // x.itemsize, along(0, 1, -1), "int", errors=((lambda: LIB.stride.int(ONE, 1), IndexError, "out of range"),)),
    queried("size", lambda x, d: x.shape[d], along(0, 1, -1), "int", errors=((lambda: LIB.size.int(ONE, 1), IndexError, "out of range"),)),
    queried("dim", np.ndim),
    queried("sym_numel", np.size),
    queried("sym_storage_offset", lambda x: 0),
    queried("sym_size", lambda x: np.array(x.shape, dtype=np.int64), lambda dtype: [Sample(rand(*s, dtype=dtype)) for s in ((2, 3), (4, 1, 5))]),
    queried("sym_size", lambda x, d: x.shape[d], along(0, 1, -1), "int", errors=((lambda: LIB.sym_size.int(ONE, 1), IndexError, "out of range"),)),
    queried("sym_stride", lambda x: np.array(x.strides, dtype=np.int64) // x.itemsize, lambda dtype: [Sample(rand(*s, dtype=dtype)) for s in ((2, 3), (4, 1, 5))]),
    queried("sym_stride", lambda x, d: x.strides[d] // x.itemsize, along(0, 1, -1), "int", errors=((lambda: LIB.sym_stride.int(ONE, 1), IndexError, "out of range"),)),
    queried("is_contiguous", lambda x: True),
    queried("is_contiguous", lambda x, f: f == torch.contiguous_format, formats, "memory_format"),
    queried("is_strides_like_format", lambda x, f: False, lambda dtype: formats(dtype)[1:]),
    queried("is_same_size", lambda x, y: x.shape == y.shape, pairs),
    queried("is_set_to", lambda x, y: x.shape == y.shape and np.array_equal(x, y), pairs),
    queried("_has_same_storage_numel", lambda x, y: True, lambda dtype: pairs(dtype)[::2]),
    queried("_has_compatible_shallow_copy_type", lambda x, y: True, pairs),
    *(internal("result_type", make, None, ALL, call=torch.result_type, meta=False, **QUERY) for make in (pairs, numbers, lambda dtype: [Sample(s.args[0], (s.input,)) for s in numbers(dtype)])),
    internal("data", shapes, np.copy, ALL, **QUERY),
    internal("requires_grad_", shapes, np.copy, (torch.float32,), call=marked, takes=ALL, meta=False, **QUERY),
    internal("backward", shapes, lambda x: 2 * x + 3, (torch.float32,), call=gradients, takes=ALL, meta=False, **QUERY,
             errors=((lambda: LIB.backward(torch.ones(2, requires_grad=True) * 2), RuntimeError, "scalar"), (lambda: LIB.backward(torch.ones(())), RuntimeError, "does not require grad"))),
    *(internal("_assert_async", lambda dtype, more=more: [Sample(torch.ones(1, dtype=dtype), more)], None, ALL, call=lambda x, *m: LIB._assert_async(x, *m) or x.clone(), **QUERY, errors=(
        (lambda: LIB._assert_async(torch.zeros(1)), RuntimeError, "is zero", VALUES), (lambda: LIB._assert_async(torch.zeros(()), "no luck"), RuntimeError, "no luck", VALUES),
        (lambda: LIB._assert_async(TWO), RuntimeError, "ambiguous", VALUES))) for more in ((), ("message",))),
]  # fmt: skip
