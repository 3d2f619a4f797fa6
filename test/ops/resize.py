"""Changes of a tensor's size or storage."""

import numpy as np

import torch
from ops.common import ALL, Op, Sample, internal, rand
from ops.shared.creation import shape_only


def views(source):
    """Arguments of x.set_(source, ...): all of the memory, or a part."""
    return ((source,), (source, 1, (2, 2), (4, 1)))


def from_tensor(dtype):
    return [Sample(rand(2, dtype=dtype), args) for args in ((), *views(rand(3, 4, dtype=dtype)))]


def from_storage(dtype):
    return [Sample(rand(0, dtype=dtype), args) for args in views(rand(3, 4, dtype=dtype).untyped_storage())]


def set_ref(x, source=None, offset=0, size=None, stride=None):
    if source is None:
        return x[:0]
    if isinstance(source, torch.UntypedStorage):
        source = np.array(source.tolist(), np.uint8).view(x.dtype)
    if size is None:
        return source
    return np.lib.stride_tricks.as_strided(source.ravel()[offset:], size, [s * source.itemsize for s in stride])


SETS = [(lambda: torch.zeros(2).set_(torch.zeros(3).untyped_storage(), -1, (2,), (1,)), RuntimeError, "invalid storage offset"),
        (lambda: torch.zeros(2).set_(torch.zeros(3, dtype=torch.double)), RuntimeError, "Could not set tensor"),
        (lambda: torch.zeros(2).resize_(-1), RuntimeError, "negative|overflow"),
        (lambda: torch.zeros(2).resize_(2**62), RuntimeError, "overflow")]  # fmt: skip

NEW = {"grad": False, "noncontiguous": False}

OPS = [
    shape_only("resize_", lambda size, **options: torch.zeros(1, **options).resize_(size)),
    Op("resize_as_", lambda d: [Sample(rand(2, dtype=d), (torch.zeros(2, 0),))], lambda x, y: np.zeros(y.shape, x.dtype), ALL,
       call=lambda x, y: x.detach().clone().resize_as_(y), method=False, out=False, grad=False),
    Op("set_", from_tensor, set_ref, ALL, call=lambda x, *a: x.clone().set_(*a), method=False, out=False, grad=False,
       noncontiguous=False, errors=SETS),
    Op("set_", from_storage, set_ref, call=lambda x, *a: x.clone().set_(*a), method=False, out=False, grad=False,
       noncontiguous=False, meta=False),
    internal("resize", lambda d: [Sample(rand(2, 3, dtype=d), (s,)) for s in ((2,), (3, 2), (0,))], lambda x, s: x.ravel()[: int(np.prod(s))].reshape(s), ALL, **NEW),
    internal("resize_as", lambda d: [Sample(rand(2, 3, dtype=d), (torch.zeros(3),))], lambda x, y: x.ravel()[:3], ALL, **NEW),
    internal("set", lambda d: from_tensor(d)[:2], set_ref, ALL, **NEW),
    internal("set", from_storage, set_ref, meta=False, **NEW),
]  # fmt: skip
