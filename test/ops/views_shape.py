"""Views of another shape or order of dimensions."""

import numpy as np

import torch
from ops.common import ALL, COMPLEX, FLOATS, LIB, ONES, Op, Sample, rand
from ops.shared.views import view, with_shape


def squeeze(x, dim=None):
    dims = range(x.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    return np.squeeze(x, tuple(d for d in dims if x.ndim and x.shape[d] == 1))


def flatten(x, start=0, end=-1):
    if x.ndim == 0:
        return x.reshape(1)
    start, end = start % x.ndim, end % x.ndim
    return x.reshape(*x.shape[:start], -1, *x.shape[end + 1 :])


def unflatten(x, dim, sizes):
    dim %= x.ndim
    return x.reshape(*x.shape[:dim], *sizes, *x.shape[dim + 1 :])


def with_min_dims(n, ref):
    shapes = ((), (3,), (2, 3), (2, 3, 4), (0,))
    one = Op(f"atleast_{n}d", lambda d: [Sample(rand(*s, dtype=d)) for s in shapes], ref, ALL, method=False, out=False)
    many = Op(
        f"atleast_{n}d",
        lambda d: [Sample([rand(*s, dtype=d) for s in shapes])],
        lambda x: [ref(t) for t in x],
        FLOATS,
        method=False,
        out=False,
    )
    return [one, many]


def as_3d(x):
    return x.reshape(1, 1, 1) if x.ndim == 0 else x.reshape(1, -1, 1) if x.ndim == 1 else x[..., None] if x.ndim == 2 else x


def same_bytes(dtype):
    """view(dtype): of the same width, narrower, wider."""
    to = {2: torch.int16, 4: torch.int32, 8: torch.int64}
    x = rand(3, 4, dtype=dtype)
    found = [Sample(x, (torch.uint8,))]
    return found + [Sample(x, (to[x.element_size()],))] if x.element_size() in to else found


VIEW = [(lambda: ONES.view(4), RuntimeError, "invalid for input of size"),
        (lambda: ONES.view(-1, -1), RuntimeError, "only one dimension can be inferred"),
        (lambda: ONES.t().view(6), RuntimeError, "view size is not compatible"),
        (lambda: ONES.view(-2, 3), RuntimeError, "invalid shape dimension"),
        (lambda: torch.ones(0).view(-1, 0), RuntimeError, "ambiguous|unspecified")]  # fmt: skip

OPS = [
    view("view", lambda x, *s: x.reshape(*s), ((12,), (3, 4)), ((3, 4), (-1,)), ((2, 3, 4), (6, -1)), ((), (1, 1)), ((0, 3), (3, 0)), ((6,), 2, 3),
         only_method=True, noncontiguous=False, errors=VIEW),
    Op("view", same_bytes, lambda x, dtype: x.view(torch.empty(0, dtype=dtype, device="cpu").numpy().dtype), FLOATS + COMPLEX, call=lambda x, d: x.view(d), grad=False,
       out=False, noncontiguous=False,
       errors=[(lambda: torch.ones(3, 3, dtype=torch.int8).view(torch.int16), RuntimeError, "divisible"),
               (lambda: torch.ones(4, 4).t().view(torch.int64), RuntimeError, "stride"),
               (lambda: torch.ones((), dtype=torch.int8).view(torch.int16), RuntimeError, "0")]),
    with_shape("view_as", ((12,), (3, 4)), ((), (1,)), ((0,), (2, 0))),
    view("reshape", lambda x, s: x.reshape(s), ((12,), (3, 4)), ((3, 4), (2, -1)), ((), (1,)), ((2, 0), (0, 5)), view=False,
         errors=[(lambda: torch.reshape(ONES, (4,)), RuntimeError, "invalid for input of size")]),
    with_shape("reshape_as", ((12,), (3, 4)), ((3, 4), (4, 3))),
    Op("_unsafe_view", lambda d: [Sample(rand(12, dtype=d), ((3, 4),))], lambda x, s: x.reshape(s), ALL, call=LIB._unsafe_view, method=False, out=False),
    Op("_reshape_alias", lambda d: [Sample(rand(12, dtype=d), ((3, 4), (4, 1)))], lambda x, s, t: x.reshape(s), ALL, call=LIB._reshape_alias, method=False,
       out=False, noncontiguous=False, view=True),
    view("unsqueeze", np.expand_dims, ((), 0), ((3,), -1), ((2, 3), 1), ((0,), 0), inplace=True,
         errors=[(lambda: ONES.unsqueeze(3), IndexError, "out of range")]),
    view("squeeze", squeeze, ((1, 3, 1),), ((1, 3, 1), 0), ((1, 3, 1), 1), ((2, 3),), ((1, 3, 1), (0, 2)), ((),), ((1, 0),), inplace=True),
    view("flatten", flatten, ((2, 3, 4),), ((2, 3, 4), 1), ((2, 3, 4), 0, 1), ((),), ((3,),), ((2, 0),), view=False,
         errors=[(lambda: torch.flatten(ONES, 1, 0), RuntimeError, "start_dim")]),
    view("unflatten", unflatten, ((6, 2), 0, (2, 3)), ((6, 2), -2, (3, -1)), ((4,), 0, (2, 1, 2)), noncontiguous=False,
         errors=[(lambda: torch.unflatten(ONES, 1, (2, 2)), RuntimeError, "multiply|sizes")]),
    view("ravel", np.ravel, ((2, 3),), ((),), ((0, 2),), view=False),
    *with_min_dims(1, np.atleast_1d),
    *with_min_dims(2, np.atleast_2d),
    *with_min_dims(3, as_3d),
]  # fmt: skip
