"""Views: other shapes and parts of the same memory."""

import numpy as np

import torch
from ops.common import ALL, COMPLEX, FLOATS, Op, Sample, rand

LIB = torch.ops.aten


def view(name, ref, *cases, only_method=False, **kwargs):
    """cases: (shape, arguments...)."""
    call = {"call": lambda x, *a, **k: getattr(x, name)(*a, **k)} if only_method else {}
    kwargs = {"out": False, "view": True, **call, **kwargs}
    return Op(name, lambda d: [Sample(rand(*s, dtype=d), tuple(a)) for s, *a in cases], ref, ALL, **kwargs)


def backward(name, ref, *cases):
    """What a view's gradient is made of: a gradient put in its place among zeros."""
    return Op(
        name,
        lambda d: [Sample(rand(*s, dtype=d), tuple(a)) for s, *a in cases],
        ref,
        ALL,
        call=getattr(LIB, name),
        method=False,
        out=False,
    )


def attribute(name, ref, *shapes, **kwargs):
    samples = lambda d: [Sample(rand(*s, dtype=d)) for s in shapes]  # noqa: E731
    return Op(name, samples, ref, ALL, call=lambda x: getattr(x, name), method=False, out=False, **kwargs)


def conj(x):
    return x if x.dtype.kind == "b" else np.conj(x)


def strided(x, size, stride, offset=0):
    steps = [s * x.itemsize for s in stride]
    return np.lib.stride_tricks.as_strided(x.ravel()[offset:], size, steps)


def narrow(x, dim, start, length):
    return np.take(x, range(int(start), int(start) + length), dim)


def cut(x, dim=0, start=None, end=None, step=1):
    return x[(slice(None),) * (dim % x.ndim) + (slice(start, end, step),)]


def squeeze(x, dim=None):
    dims = range(x.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    return np.squeeze(x, tuple(d for d in dims if x.ndim and x.shape[d] == 1))


def unfold(x, dim, size, step):
    if x.ndim == 0:
        return x[None][:size]
    windows = np.lib.stride_tricks.sliding_window_view(x, size, dim)
    return cut(windows, dim % x.ndim, None, None, step)


def unfold_backward(grad, sizes, dim, size, step):
    result = np.zeros(sizes, np.int64 if grad.dtype.kind in "iub" else grad.dtype)
    lines = np.moveaxis(result, dim, 0)
    for i, window in enumerate(np.moveaxis(grad, dim, 0)):
        lines[i * step : i * step + size] += np.moveaxis(window, -1, 0)
    return result.astype(grad.dtype)


def placed(take):
    """The gradient of a view, from what it takes of zeros."""

    def ref(grad, sizes, *args):
        result = np.zeros(sizes, grad.dtype)
        take(result, *args)[...] = grad
        return result

    return ref


def flatten(x, start=0, end=-1):
    if x.ndim == 0:
        return x.reshape(1)
    start, end = start % x.ndim, end % x.ndim
    return x.reshape(*x.shape[:start], -1, *x.shape[end + 1 :])


def unflatten(x, dim, sizes):
    dim %= x.ndim
    return x.reshape(*x.shape[:dim], *sizes, *x.shape[dim + 1 :])


def diagonal(x, offset=0, dim1=0, dim2=1):
    return np.diagonal(x, offset, dim1, dim2)


def written_diagonal(x, *args):
    d = np.diagonal(x, *args)
    d.flags.writeable = True
    return d


def with_shape(name, *pairs):
    """x shaped as another tensor."""
    samples = lambda d: [Sample(rand(*a, dtype=d), (torch.zeros(b, dtype=torch.int8),)) for a, b in pairs]  # noqa: E731
    return Op(name, samples, lambda x, y: np.broadcast_to(x, y.shape) if name == "expand_as" else x.reshape(y.shape), ALL,
              call=lambda x, y: getattr(x, name)(y), out=False, noncontiguous=name == "expand_as", view=True)  # fmt: skip


def at_least(n, ref):
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


def raises(call, error, pattern):
    return (call, error, pattern)


ONES = torch.ones(2, 3)
VIEW = [raises(lambda: ONES.view(4), RuntimeError, "invalid for input of size"),
        raises(lambda: ONES.view(-1, -1), RuntimeError, "only one dimension can be inferred"),
        raises(lambda: ONES.t().view(6), RuntimeError, "view size is not compatible"),
        raises(lambda: ONES.view(-2, 3), RuntimeError, "invalid shape dimension"),
        raises(lambda: torch.ones(0).view(-1, 0), RuntimeError, "ambiguous|unspecified")]  # fmt: skip
DIMS = [
    raises(lambda: ONES.transpose(0, 2), IndexError, "out of range"),
    raises(lambda: torch.ones(2, 3, 4).t(), RuntimeError, "2"),
]
SWAPS = [((), 0, -1), ((4,), 0, 0), ((2, 3), 0, 1), ((2, 3, 4), -1, 0), ((2, 0, 3), 1, 2)]
PERMUTED = [((), ()), ((2, 3), (1, 0)), ((2, 3, 4), (2, 0, 1)), ((2, 0, 4), (-1, 0, 1))]
STRIDED = [
    ((12,), (3, 2), (4, 1)),
    ((3, 4), (2, 2), (1, 2), 1),
    ((12,), (3, 3), (1, 1), 2),
    ((5,), (), (), 3),
    ((5,), (0, 2), (1, 1)),
]

OPS = [
    view("view", lambda x, *s: x.reshape(*s), ((12,), (3, 4)), ((3, 4), (-1,)), ((2, 3, 4), (6, -1)), ((), (1, 1)), ((0, 3), (3, 0)), ((6,), 2, 3),
         only_method=True, noncontiguous=False, errors=VIEW),  # fmt: skip
    Op("view", same_bytes, lambda x, dtype: x.view(torch.empty(0, dtype=dtype).numpy().dtype), FLOATS + COMPLEX, call=lambda x, d: x.view(d), grad=False,
       out=False, noncontiguous=False,
       errors=[(lambda: torch.ones(3, 3, dtype=torch.int8).view(torch.int16), RuntimeError, "divisible"),
               (lambda: torch.ones(4, 4).t().view(torch.int64), RuntimeError, "stride"),
               (lambda: torch.ones((), dtype=torch.int8).view(torch.int16), RuntimeError, "0")]),  # fmt: skip
    with_shape("view_as", ((12,), (3, 4)), ((), (1,)), ((0,), (2, 0))),
    view("reshape", lambda x, s: x.reshape(s), ((12,), (3, 4)), ((3, 4), (2, -1)), ((), (1,)), ((2, 0), (0, 5)), view=False,
         errors=[raises(lambda: torch.reshape(ONES, (4,)), RuntimeError, "invalid for input of size")]),  # fmt: skip
    with_shape("reshape_as", ((12,), (3, 4)), ((3, 4), (4, 3))),
    Op("_unsafe_view", lambda d: [Sample(rand(12, dtype=d), ((3, 4),))], lambda x, s: x.reshape(s), ALL, call=LIB._unsafe_view, method=False, out=False),
    Op("_reshape_alias", lambda d: [Sample(rand(12, dtype=d), ((3, 4), (4, 1)))], lambda x, s, t: x.reshape(s), ALL, call=LIB._reshape_alias, method=False,
       out=False, noncontiguous=False, view=True),  # fmt: skip
    view("as_strided", strided, *STRIDED, noncontiguous=False, inplace=True,
         errors=[raises(lambda: torch.as_strided(ONES, (4, 4), (4, 1)), RuntimeError, "out of bounds"),
                 raises(lambda: torch.as_strided(ONES, (2,), (-1,)), RuntimeError, "[Nn]egative stride"),
                 raises(lambda: torch.as_strided(ONES, (2,), (1, 1)), RuntimeError, "mismatch")]),  # fmt: skip
    view("t", lambda x: x.T, ((),), ((3,),), ((2, 3),), ((0, 3),), inplace=True, errors=DIMS),
    view("transpose", np.swapaxes, *SWAPS[1:], inplace=True),
    view("swapaxes", np.swapaxes, *SWAPS[1:], inplace=True),
    view("swapdims", np.swapaxes, *SWAPS[1:], inplace=True),
    view("movedim", np.moveaxis, ((2, 3, 4), 0, 2), ((2, 3, 4), (0, 1), (1, 2)), ((4,), 0, -1),
         errors=[raises(lambda: torch.movedim(ONES, (0, 0), (0, 1)), RuntimeError, "repeated dim")]),  # fmt: skip
    view("moveaxis", np.moveaxis, ((2, 3, 4), 0, 2), ((2, 3, 4), (0, 1), (1, 2))),
    view("permute", np.transpose, *PERMUTED,
         errors=[raises(lambda: ONES.permute(0), RuntimeError, "does not match|number of dim"),
                 raises(lambda: ONES.permute(0, 0), RuntimeError, "[dD]uplicate|repeated")]),  # fmt: skip
    attribute("mT", lambda x: np.swapaxes(x, -1, -2), (2, 3), (2, 3, 4), (2, 0)),
    attribute("mH", lambda x: conj(np.swapaxes(x, -1, -2)), (2, 3), (2, 3, 4)),
    attribute("H", lambda x: conj(x.T), (2, 3), covers=("matrix_H",), errors=[raises(lambda: torch.ones(1, 2, 3).H, RuntimeError, "2-D tensors")]),
    attribute("T", np.transpose, (2, 3), (3, 2), covers=("numpy_T",)),
    view("adjoint", lambda x: conj(np.swapaxes(x, -1, -2)), ((2, 3),), ((2, 3, 4),), view=False),
    view("select", lambda x, d, i: np.take(x, i, d), ((5,), 0, 3), ((3, 4), 1, -1), ((2, 3, 4), -2, 1),
         errors=[raises(lambda: ONES.select(0, 2), IndexError, "out of range"), raises(lambda: torch.tensor(1).select(0, 0), IndexError, "0-dim")]),  # fmt: skip
    view("narrow", narrow, ((5,), 0, 1, 3), ((3, 4), 1, 0, 2), ((3, 4), -2, 1, 2), ((3, 4), 0, 3, 0),
         errors=[raises(lambda: ONES.narrow(0, 1, 2), RuntimeError, "exceeds dimension size"), raises(lambda: ONES.narrow(0, 0, -1), RuntimeError, "non-negative")]),  # fmt: skip
    Op("narrow", lambda d: [Sample(rand(3, 4, dtype=d), (1, torch.tensor(1), 2))], narrow, out=False, meta=False),
    view("slice", cut, ((5,), 0, 1, 4), ((3, 4), 1, -3, None, 2), ((3, 4), 0, 2, 1), ((2, 7), 1, None, 100, 3), call=LIB.slice, method=False,
         errors=[raises(lambda: LIB.slice(ONES, 0, 0, 2, 0), RuntimeError, "must be positive|must be greater than zero")]),  # fmt: skip
    view("unsqueeze", np.expand_dims, ((), 0), ((3,), -1), ((2, 3), 1), ((0,), 0), inplace=True,
         errors=[raises(lambda: ONES.unsqueeze(3), IndexError, "out of range")]),  # fmt: skip
    view("squeeze", squeeze, ((1, 3, 1),), ((1, 3, 1), 0), ((1, 3, 1), 1), ((2, 3),), ((1, 3, 1), (0, 2)), ((),), ((1, 0),), inplace=True),
    view("expand", lambda x, *s: np.broadcast_to(x, s[0] if isinstance(s[0], tuple) else s), ((3, 1), (3, 4)), ((4,), (2, 3, 4)), ((), 2, 2), ((1, 0), (3, 0)),
         only_method=True,
         errors=[raises(lambda: ONES.expand(4, 3), RuntimeError, "must match the existing size"), raises(lambda: ONES.expand(3), RuntimeError, "greater|fewer")]),  # fmt: skip
    with_shape("expand_as", ((3, 1), (3, 4)), ((), (2,))),
    view("broadcast_to", np.broadcast_to, ((3, 1), (3, 4)), ((4,), (2, 3, 4)), ((), (2,))),
    Op("broadcast_tensors", lambda d: [Sample([rand(3, 1, dtype=d), rand(4, dtype=d, seed=1), rand(dtype=d)])], lambda x: np.broadcast_arrays(*x), ALL,
       call=lambda x: torch.broadcast_tensors(*x), method=False, out=False),  # fmt: skip
    view("flatten", flatten, ((2, 3, 4),), ((2, 3, 4), 1), ((2, 3, 4), 0, 1), ((),), ((3,),), ((2, 0),), view=False,
         errors=[raises(lambda: torch.flatten(ONES, 1, 0), RuntimeError, "start_dim")]),  # fmt: skip
    view("unflatten", unflatten, ((6, 2), 0, (2, 3)), ((6, 2), -2, (3, -1)), ((4,), 0, (2, 1, 2)), noncontiguous=False,
         errors=[raises(lambda: torch.unflatten(ONES, 1, (2, 2)), RuntimeError, "multiply|sizes")]),  # fmt: skip
    view("ravel", np.ravel, ((2, 3),), ((),), ((0, 2),), view=False),
    view("diagonal", diagonal, ((3, 4),), ((3, 4), 1), ((3, 4), -2), ((2, 3, 4), 0, -1, 0), ((3, 0),),
         errors=[raises(lambda: ONES.diagonal(0, 0, 0), RuntimeError, "identical")]),  # fmt: skip
    Op("linalg_diagonal", lambda d: [Sample(rand(2, 3, 4, dtype=d), (), {"offset": k}) for k in (0, 1)], lambda x, offset: diagonal(x, offset, -2, -1), ALL,
       call=torch._C._linalg.linalg_diagonal, method=False, out=False, view=True),  # fmt: skip
    view("unfold", unfold, ((7,), 0, 3, 2), ((7,), 0, 3, 1), ((3, 6), 1, 2, 3), ((3, 6), 0, 3, 1), ((), 0, 1, 1), only_method=True,
         errors=[raises(lambda: torch.ones(3).unfold(0, 4, 1), RuntimeError, "maximum size"), raises(lambda: torch.ones(3).unfold(0, 2, 0), RuntimeError, "step")]),  # fmt: skip
    backward("select_backward", placed(lambda x, d, i: x[(slice(None),) * d + (i,)]), ((3,), (3, 4), 1, 2), ((4,), (3, 4), 0, -1)),
    backward("slice_backward", placed(cut), ((3, 2), (3, 4), 1, 0, 4, 2), ((1, 4), (3, 4), 0, 2, 3, 1)),
    backward("diagonal_backward", placed(written_diagonal), ((3,), (3, 4), 0, 0, 1), ((2, 3), (2, 3, 4), 1, 1, 2)),
    backward("unfold_backward", unfold_backward, ((3, 3), (7,), 0, 3, 2), ((3, 2, 3), (3, 6), 1, 3, 3)),
    *at_least(1, np.atleast_1d),
    *at_least(2, np.atleast_2d),
    *at_least(3, as_3d),
]  # fmt: skip
