"""Images of another size."""

import math

import numpy as np

import torch
from ops.common import FLOATS, REDUCED, Op, Sample, rand
from ops.shared.gradients import gradient
from ops.shared.interpolation import cubic

NN = torch._C._nn


def antialiased(n, out, align, ratio, support, f):
    """Weights of a filter that grows with the ratio where the image shrinks."""
    ratio = ((n - 1) / (out - 1) if out > 1 else 0.0) if align else ratio
    wide = max(ratio, 1.0)
    m = np.zeros((out, n))
    for i in range(out):
        center = ratio * (i + 0.5)
        lo, hi = max(int(center - support * wide + 0.5), 0), min(int(center + support * wide + 0.5), n)
        for j in range(lo, hi):
            m[i, j] = f((j - center + 0.5) / wide)
        m[i] /= m[i].sum()
    return m


def weights(kind, n, out, align=False, scale=None):
    ratio = 1 / scale if scale else n / out
    if kind == "bilinear_aa":
        return antialiased(n, out, align, ratio, 1, lambda x: max(0.0, 1 - abs(x)))
    if kind == "bicubic_aa":
        return antialiased(n, out, align, ratio, 2, lambda x: cubic(x, -0.5))
    if kind == "lanczos_aa":
        return antialiased(n, out, align, ratio, 3, lambda x: np.sinc(x) * np.sinc(x / 3) if abs(x) < 3 else 0.0)
    m = np.zeros((out, n))
    for i in range(out):
        if kind.startswith("nearest"):
            m[i, min(math.floor((i + (0.5 if kind == "nearest_exact" else 0)) * ratio), n - 1)] = 1
            continue
        x = (i * (n - 1) / (out - 1) if out > 1 else 0.0) if align else ratio * (i + 0.5) - 0.5
        if kind == "linear":
            x = max(x, 0.0)
            lo = min(int(x), n - 1)
            m[i, lo] += 1 - (x - lo)
            m[i, min(lo + 1, n - 1)] += x - lo
        else:
            lo = math.floor(x)
            for j in range(lo - 1, lo + 3):
                m[i, min(max(j, 0), n - 1)] += cubic(x - j)
    return m


def resized(kind, n, has_align):
    def ref(x, size, *rest):
        align, rest = (rest[0], rest[1:]) if has_align else (False, rest)
        scales = rest or (None,) * n
        y = x.astype(float)
        for k in range(n):
            axis = x.ndim - n + k
            before, after = x.shape[axis], size[k]
            # Some modes do not change a dimension of the same size, whatever the scale.
            kept = kind in ("linear", "bilinear_aa", "bicubic_aa", "lanczos_aa") or (kind == "nearest" and n == 2)
            scale = None if (kept and before == after) or (kind == "nearest" and n == 2 and after == 2 * before) else scales[k]
            y = np.moveaxis(np.tensordot(weights(kind, before, after, align, scale), y, (1, axis)), 0, axis)
        return np.clip(np.rint(y), 0, 255).astype(np.uint8) if x.dtype == np.uint8 else y

    return ref


def resize(name, kind, n, has_align, dtypes=FLOATS + REDUCED):
    fn = getattr(NN, name)

    def samples(dtype):
        big = 9 if n == 1 else 5
        for shape, size, scales in (((1, 1), (2, 3, 1), None), ((1, 2), (5, 2, 4), None), ((2, 3), (7, 10, 6), None), ((1, 2), (1, 1, 1), None),
                                    ((0, 2), (3, 3, 3), None), ((1, 1), (5, 2, 4), (1.9, 1.4, 2.2))):  # fmt: skip
            side = {(1, 1): (3, 2, 2), (2, 3): (4, big, 3)}.get(shape, (3, 4, 2))[:n]
            for align in (False, True) if has_align else (None,):
                yield Sample(rand(*shape, *side, dtype=dtype, low=0 if dtype == torch.uint8 else -3, high=250 if dtype == torch.uint8 else 3),
                             (size[:n], *(() if align is None else (align,)), *(scales[:n] if scales and not align else ())))  # fmt: skip

    x, align = torch.zeros(1, 1, *[3] * n), ((False,) if has_align else ())
    errors = ((lambda: fn(x[0], [2] * n, *align), RuntimeError, "xpected.*dimension|equal|D|dim"),
              (lambda: fn(x, [2] * (n + 1), *align), RuntimeError, "output_size|equal"),
              (lambda: fn(x, [0] * n, *align), RuntimeError, "greater than 0"),
              (lambda: fn(x[:, :, :0], [2] * n, *align), RuntimeError, "greater than 0|[nN]on-empty"),
              (lambda: fn(x.bool(), [2] * n, *align), (RuntimeError, NotImplementedError), "not implemented for 'Bool'"))  # fmt: skip
    same = {"call": fn, "ref": resized(kind, n, has_align), "method": False}
    # These round bytes differently from NumPy.
    takes = (torch.uint8,) if name in ("upsample_linear1d", "upsample_trilinear3d") else ()
    found = [Op(name, samples, dtypes=dtypes, takes=takes, errors=errors, tolerance=1e-4, **same)]
    if n < 3 and name not in ("upsample_linear1d",) or kind.startswith("nearest"):
        # Bytes are computed in fixed point: off by one at most.
        found.append(Op(name, samples, dtypes=(torch.uint8,), tolerance=0.0 if kind.startswith("nearest") else 1.0, **same))
    hostile = [(scale,) * n for scale in (1e-300, 1e300, float("nan"), float("inf"), -1.0)]
    if "_aa" not in name:
        found.append(Op(name, lambda dtype: [Sample(rand(1, 1, *[3] * n, dtype=dtype), ([4] * n, *align, *s)) for s in hostile], call=fn,
                        method=False, grad=False, gradgrad=False, out=False))  # fmt: skip
    return found


def by_factor(name, kind, n, has_align):
    """The overload that takes scale factors for all dimensions."""
    fn, align = getattr(NN, name), ((False,) if has_align else ())

    def ref(x, size, *rest):
        scales = rest[-1]
        return resized(kind, n, has_align)(x, [math.floor(s * f) for s, f in zip(x.shape[2:], scales)], *align, *scales)

    def samples(dtype):
        yield Sample(rand(1, 1, *(3, 2, 2)[:n], dtype=dtype), (None, *align, [2.0, 1.5, 3.0][:n]))

    return Op(name, samples, ref, call=fn, method=False, out=False, tolerance=1e-4)


OPS = [
    *(op for n in (1, 2, 3) for op in resize(f"upsample_nearest{n}d", "nearest", n, False)),
    *(op for n in (1, 2, 3) for op in resize(f"_upsample_nearest_exact{n}d", "nearest_exact", n, False)),
    *resize("upsample_linear1d", "linear", 1, True),
    *resize("upsample_bilinear2d", "linear", 2, True),
    *resize("upsample_trilinear3d", "linear", 3, True),
    *resize("upsample_bicubic2d", "bicubic", 2, True),
    *resize("_upsample_bilinear2d_aa", "bilinear_aa", 2, True),
    *resize("_upsample_bicubic2d_aa", "bicubic_aa", 2, True),
    *resize("_upsample_lanczos2d_aa", "lanczos_aa", 2, True),
    *(by_factor(f"upsample_nearest{n}d", "nearest", n, False) for n in (1, 2, 3)),
    *(by_factor(f"_upsample_nearest_exact{n}d", "nearest_exact", n, False) for n in (1, 2, 3)),
    by_factor("upsample_linear1d", "linear", 1, True),
    by_factor("upsample_bilinear2d", "linear", 2, True),
    by_factor("upsample_trilinear3d", "linear", 3, True),
    by_factor("upsample_bicubic2d", "bicubic", 2, True),
    by_factor("_upsample_bilinear2d_aa", "bilinear_aa", 2, True),
    by_factor("_upsample_bicubic2d_aa", "bicubic_aa", 2, True),
    by_factor("_upsample_lanczos2d_aa", "lanczos_aa", 2, True),
    *(gradient(f"{name}1d_backward", (1, 2, 6), [6], [1, 2, 3]) for name in ("upsample_nearest", "_upsample_nearest_exact")),
    *(gradient(f"{name}2d_backward", (1, 2, 6, 4), [6, 4], [1, 2, 3, 2]) for name in ("upsample_nearest", "_upsample_nearest_exact")),
    *(gradient(f"{name}3d_backward", (1, 2, 2, 6, 4), [2, 6, 4], [1, 2, 1, 3, 2]) for name in ("upsample_nearest", "_upsample_nearest_exact")),
    gradient("upsample_linear1d_backward", (1, 2, 6), [6], [1, 2, 3], False),
    *(gradient(f"{name}_backward", (1, 2, 6, 4), [6, 4], [1, 2, 3, 2], False)
      for name in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa", "_upsample_lanczos2d_aa")),
    gradient("upsample_trilinear3d_backward", (1, 2, 2, 6, 4), [2, 6, 4], [1, 2, 1, 3, 2], False),
]  # fmt: skip
