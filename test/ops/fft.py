"""Fourier transforms: torch.fft, stft, istft."""

import numpy as np

import torch
from ops.common import ALL, ALL_FLOATS, ANY_REAL, COMPLEX, FLOATS, LIB, ON_CPU, VALUES, Op, Sample, internal, rand
from ops.shared.creation import of_numpy

F = torch._C._fft
REAL_INPUT = FLOATS + tuple(d for d in ANY_REAL if not d.is_floating_point)
ANY_INPUT = REAL_INPUT + COMPLEX
ON_GPUS = (torch.float16,)  # for lengths that are powers of two
NORMS = ("backward", "ortho", "forward")


def narrowed(f):
    """A NumPy transform whose result has the precision of its input."""

    def ref(x, *args, **kwargs):
        single = x.dtype not in (np.float64, np.complex128)
        found = f(x.astype(np.float64) if x.dtype.kind in "biu" else x, *args, **kwargs)
        return found.astype(np.complex64 if found.dtype.kind == "c" else np.float32) if single else found

    return ref


def one_dim(dtype):
    x = rand(3, 8, dtype=dtype)
    yield from (Sample(rand(n, dtype=dtype)) for n in (2, 5, 12, 16, 23, 30))
    yield from (Sample(x), Sample(x, (None, 0)), Sample(x, (5,)), Sample(x, (13, 1)), Sample(rand(2, 3, 4, dtype=dtype), (7, 1)))
    yield from (Sample(x, (), {"norm": norm}) for norm in NORMS)
    yield from (Sample(rand(9, 20, dtype=dtype)), Sample(rand(21, 64, dtype=dtype)), Sample(rand(40, 3, dtype=dtype), (None, 0)))
    yield Sample(rand(64, 6, 3, dtype=dtype).permute(1, 2, 0))


def two_dims(dtype):
    x = rand(3, 4, 6, dtype=dtype)
    return [Sample(x), Sample(x, (None, (0, 2))), Sample(x, ((5, 2),)), Sample(x, ((4, 9), (2, 1)), {"norm": "ortho"})]


def n_dims(dtype):
    x = rand(3, 4, 6, dtype=dtype)
    return [Sample(x), Sample(rand(5, dtype=dtype)), Sample(x, (None, (0,))), Sample(x, ((5, 2),)), Sample(x, ((-1, 3), (2, 0))),
            Sample(x, (None, (2, 0, 1)), {"norm": "forward"}), Sample(rand(12, 4, 10, dtype=dtype).transpose(0, 2))]  # fmt: skip


def on_axes(f, whole=True):
    """NumPy's transform of several dimensions, called as torch calls. `whole`: it returns whole spectra."""

    def ref(x, s=None, dim=None, norm=None):
        dim = tuple(range(x.ndim))[-len(s) if s else 0 :] if dim is None else dim
        s = [x.shape[d] if s is None or s[k] == -1 else s[k] for k, d in enumerate(dim)]
        return f(x, s, dim, norm)

    return ref


def spectrum_axes(f):
    """For real results of half spectra: the last length is that of the result."""

    def ref(x, s=None, dim=None, norm=None):
        dim = tuple(range(x.ndim))[-len(s) if s else 0 :] if dim is None else dim
        full = [x.shape[d] if s is None or s[k] == -1 else s[k] for k, d in enumerate(dim)]
        if s is None or s[-1] == -1:
            full[-1] = 2 * (x.shape[dim[-1]] - 1)
        return f(x, full, dim, norm)

    return ref


OTHER_NORM = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def hfftn(x, s, dim, norm):
    """The forward transform of a Hermitian signal is the conjugate's inverse one, scaled otherwise."""
    return np.fft.irfftn(np.conj(x), s, dim, OTHER_NORM[norm])


def ihfftn(x, s, dim, norm):
    return np.conj(np.fft.rfftn(x, s, dim, OTHER_NORM[norm]))


def transform(name, make, ref, dtypes, **kwargs):
    return Op(name, make, narrowed(ref), dtypes, call=getattr(F, name), method=False, takes=ON_GPUS, **kwargs)


X, C = torch.ones(3, 4), torch.ones(3, 4, dtype=torch.complex64)
LENGTHS = ((lambda: F.fft_fft(X, 0), RuntimeError, "Invalid number of data points"),
           (lambda: F.fft_fft(X, -1), RuntimeError, "Invalid number of data points"),
           (lambda: F.fft_fft(torch.ones(3, 0)), RuntimeError, "Invalid number of data points"),
           (lambda: F.fft_fft(X, dim=2), IndexError, "Dimension out of range"),
           (lambda: F.fft_fft(torch.tensor(1.0)), IndexError, "no dimensions"),
           (lambda: F.fft_fft(X, norm="no"), RuntimeError, "Invalid normalization mode"),
           (lambda: F.fft_fft(X.half()), RuntimeError, "Unsupported dtype", VALUES, ON_CPU),
           (lambda: F.fft_fft(X, out=torch.empty(3, 4)), RuntimeError, "ComplexFloat"))  # fmt: skip
SHAPES = ((lambda: F.fft_fftn(X, (2, 2), (0,)), RuntimeError, "same length"),
          (lambda: F.fft_fftn(X, (2, 2, 2)), RuntimeError, "only has 2 dimensions"),
          (lambda: F.fft_fftn(X, None, (0, -2)), RuntimeError, "unique"),
          (lambda: F.fft_fftn(X, None, (0, 5)), IndexError, "Dimension out of range"),
          (lambda: F.fft_fftn(X, (0, 2)), RuntimeError, "Invalid number of data points"))  # fmt: skip
REAL_ONLY = ((lambda: F.fft_rfft(C), RuntimeError, "real input"), (lambda: F.fft_rfft(X, 0), RuntimeError, "data points"))
NO_AXES = ((lambda: F.fft_rfftn(X, None, ()), RuntimeError, "at least one axis"), (lambda: F.fft_rfftn(C), RuntimeError, "real"))
ONE_POINT = ((lambda: F.fft_irfft(C[:, :1]), RuntimeError, "Invalid number of data points"),)

BASIC = ((lambda: LIB._fft_c2c(X, [0], 0, True), RuntimeError, "complex64"),
         (lambda: LIB._fft_c2c(C, [0], 7, True), RuntimeError, "0, 1 or 2"),
         (lambda: LIB._fft_c2c(C, [2], 0, True), IndexError, "out of range"), (lambda: LIB._fft_c2c(C, [0, 0], 0, True), RuntimeError, "twice"),
         (lambda: LIB._fft_r2c(C, [0], 0, True), RuntimeError, "float32"), (lambda: LIB._fft_r2c(X, [], 0, True), RuntimeError, "at least one"),
         (lambda: LIB._fft_c2r(X, [0], 0, 4), RuntimeError, "complex64"), (lambda: LIB._fft_c2r(C, [0], 0, 8), RuntimeError, "expected 5 points"),
         (lambda: LIB._fft_c2r(C, [0], 0, 0), RuntimeError, "positive"))  # fmt: skip


def frames(x, n_fft, hop, window):
    count = 1 + (x.shape[-1] - n_fft) // hop
    return np.stack([x[..., k * hop : k * hop + n_fft] * window for k in range(count)], -1)


def stft(x, n_fft, hop_length=None, win_length=None, window=None, normalized=False, onesided=None, return_complex=True,
         align_to_window=None):  # fmt: skip
    hop, width = hop_length or n_fft // 4, win_length or n_fft
    window = np.ones(width, x.real.dtype) if window is None else window
    left = (n_fft - width) // 2
    padded = np.zeros(n_fft, window.dtype)
    padded[left : left + width] = window
    if align_to_window:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(left, n_fft - width - left)])
    parts = frames(x, n_fft, hop, padded)
    half = onesided if onesided is not None else parts.dtype.kind != "c"
    found = (np.fft.rfft if half else np.fft.fft)(parts, axis=-2, norm="ortho" if normalized else None)
    return found if return_complex else np.stack([found.real, found.imag], -1)


def centered_stft(x, n_fft, *args, center=True, pad_mode="reflect", **kwargs):
    edge = [(0, 0)] * (x.ndim - 1) + [(n_fft // 2, n_fft // 2)]
    return stft(np.pad(x, edge, mode=pad_mode) if center else x, n_fft, *args, **kwargs)


def stft_samples(dtype):
    x, w = rand(2, 40, dtype=dtype), rand(8, dtype=dtype, low=0.5, high=2)
    given = {"return_complex": True}
    return [Sample(x, (8,), given), Sample(x[0], (8, 3), given), Sample(x, (8, 2, 8, w), given), Sample(x, (8, 2, 6, w[:6]), given),
            Sample(x, (9, 4, 5), {**given, "normalized": True}), Sample(x, (8, 3), {"return_complex": False}),
            *([] if dtype.is_complex else [Sample(x, (8, 2), {**given, "onesided": False})])]  # fmt: skip


def plain_samples(dtype):
    """With all arguments up to `onesided` in place, which tells the overloads apart."""
    x = rand(2, 40, dtype=dtype)
    aligned = Sample(x, (8, 3, 5), {"return_complex": True, "align_to_window": True})
    for s in [*stft_samples(dtype), aligned]:
        kwargs = dict(s.kwargs)
        given = (*s.args, *(None,) * (4 - len(s.args)), kwargs.pop("normalized", False), kwargs.pop("onesided", None))
        yield Sample(s.input, given, kwargs)


def plain_stft(x, n_fft, hop_length=None, win_length=None, window=None, normalized=False, onesided=None, **kwargs):
    """The overload that does not pad."""
    return LIB.stft(x, n_fft, hop_length, win_length, window, normalized, onesided, **kwargs)


def center_samples(dtype):
    x = rand(2, 40, dtype=dtype)
    centered = [Sample(s.input, s.args, {**s.kwargs, "center": True}) for s in stft_samples(dtype)]
    return [*centered, Sample(x, (8,), {"return_complex": True, "center": False}),
            Sample(x[1], (8,), {"return_complex": True, "center": True, "pad_mode": "constant"})]  # fmt: skip


def istft(y, n_fft, hop_length=None, win_length=None, window=None, center=True, normalized=False, onesided=None, length=None,
          return_complex=False):  # fmt: skip
    hop, width = hop_length or n_fft // 4, win_length or n_fft
    window = np.ones(width) if window is None else window
    padded = np.zeros(n_fft)
    padded[(n_fft - width) // 2 :][:width] = window
    norm = "ortho" if normalized else None
    parts = np.fft.ifft(y, axis=-2, norm=norm) if return_complex else np.fft.irfft(y[..., : n_fft // 2 + 1, :], n_fft, -2, norm)
    total = n_fft + hop * (y.shape[-1] - 1)
    signal, weight = np.zeros((*y.shape[:-2], total), parts.dtype), np.zeros(total)
    for k in range(y.shape[-1]):
        signal[..., k * hop : k * hop + n_fft] += parts[..., k] * padded
        weight[k * hop : k * hop + n_fft] += padded**2
    start = n_fft // 2 if center else 0
    end = start + length if length else total - start
    found = signal[..., start:end] / weight[start:end]
    missing = max(0, end - total)
    return np.pad(found, [(0, 0)] * (found.ndim - 1) + [(0, missing)]).astype(y.dtype if return_complex else y.real.dtype)


def istft_samples(dtype):
    y, z = rand(2, 5, 7, dtype=dtype), rand(8, 7, dtype=dtype)
    w = rand(8, dtype=torch.float32, low=0.5, high=2).to(torch.empty(0, dtype=dtype).real.dtype)
    return [Sample(y, (8,)), Sample(y[0], (8, 3, 8, w)), Sample(y, (8, 2, 6, w[:6])), Sample(y, (9, 3), {"normalized": True}),
            Sample(y, (8,), {"length": 9}), Sample(y, (8, 2), {"center": False}), Sample(z, (8,), {"return_complex": True}),
            Sample(z, (8,), {"onesided": False})]  # fmt: skip


def uncentered(*args, **kwargs):
    return torch.stft(*args, center=False, **kwargs)


STFT_ERRORS = (
    (lambda: torch.stft(torch.ones(9), 4), RuntimeError, "return_complex"),
    (lambda: uncentered(torch.ones(9), 10, return_complex=True), RuntimeError, "n_fft"),
    (lambda: uncentered(torch.ones(9), 4, 0, return_complex=True), RuntimeError, "hop_length"),
    (lambda: uncentered(torch.ones(9), 4, 1, 5, return_complex=True), RuntimeError, "win_length"),
    (lambda: uncentered(torch.ones(9), 4, 1, 4, torch.ones(3), return_complex=True), RuntimeError, "window"),
    (lambda: uncentered(torch.ones(9, 9, 9), 4, return_complex=True), RuntimeError, "1D or 2D"),
    (lambda: uncentered(torch.ones(9).int(), 4, return_complex=True), RuntimeError, "floating point or complex"),
    (lambda: uncentered(torch.ones(9) + 0j, 4, onesided=True), RuntimeError, "onesided"),
    (lambda: torch.stft(torch.ones(9), 4, return_complex=True, align_to_window=True), RuntimeError, "align_to_window"),
)
ISTFT_ERRORS = (
    (lambda: torch.istft(torch.ones(5, 7), 8), RuntimeError, "complex"),
    (lambda: torch.istft(torch.ones(5, 7) + 0j, 12), RuntimeError, "frequency"),
    (lambda: torch.istft(torch.ones(5, 0) + 0j, 8), RuntimeError, "empty"),
    (lambda: torch.istft(torch.ones(5, 7) + 0j, 8, 9), RuntimeError, "hop_length"),
    (lambda: torch.istft(torch.ones(5, 7) + 0j, 8, window=torch.ones(3)), RuntimeError, "window"),
    (lambda: torch.istft(torch.ones(5, 7) + 0j, 8, return_complex=True), RuntimeError, "onesided"),
    (lambda: torch.istft(torch.ones(5, 7) + 0j, 8, window=torch.zeros(8)), RuntimeError, "window overlap", VALUES),
)


def frequencies(name, ref):
    def samples(dtype):
        return [Sample(n, d, {"dtype": dtype}) for n, d in ((4, ()), (5, (0.5,)), (1, (2.0,)), (12, (0.1,)))]

    return Op(name, samples, lambda n, d=1.0, dtype=None: ref(n, d).astype(of_numpy(dtype)), ALL_FLOATS, call=getattr(F, name), method=False,
              out=False, grad=False, noncontiguous=False, factory=True,
              errors=((lambda: getattr(F, name)(-1), RuntimeError, "0 or more"),
                      (lambda: getattr(F, name)(3, dtype=torch.int64), RuntimeError, "floating point")))  # fmt: skip


def shift(name, ref):
    make = [(rand, (5,), ()), (rand, (4, 6), ()), (rand, (4, 5, 2), ((0, 1),)), (rand, (4, 5), (1,))]
    return Op(
        name, lambda d: [Sample(f(*s, dtype=d), a) for f, s, a in make], ref, ALL, call=getattr(F, name), method=False, out=False
    )


def basic(name, make, ref, dtypes):
    return internal(name, make, narrowed(ref), dtypes, out=False, takes=ON_GPUS)


SCALES = ("backward", "ortho", "forward")

OPS = [
    transform("fft_fft", one_dim, np.fft.fft, ANY_INPUT, errors=LENGTHS),
    transform("fft_ifft", one_dim, np.fft.ifft, ANY_INPUT),
    transform("fft_rfft", one_dim, np.fft.rfft, REAL_INPUT, errors=REAL_ONLY),
    transform("fft_irfft", one_dim, np.fft.irfft, ANY_INPUT, errors=ONE_POINT),
    transform("fft_hfft", one_dim, np.fft.hfft, ANY_INPUT),
    transform("fft_ihfft", one_dim, np.fft.ihfft, REAL_INPUT),
]
for suffix, samples in (("2", two_dims), ("n", n_dims)):

    def two(f, suffix=suffix):
        """torch.fft.fft2 transforms the last two dimensions by default."""
        return (lambda x, s=None, dim=(-2, -1), norm=None: f(x, s, dim, norm)) if suffix == "2" else f

    OPS += [
        transform(f"fft_fft{suffix}", samples, two(on_axes(np.fft.fftn)), ANY_INPUT, errors=SHAPES if suffix == "n" else ()),
        transform(f"fft_ifft{suffix}", samples, two(on_axes(np.fft.ifftn)), ANY_INPUT),
        transform(f"fft_rfft{suffix}", samples, two(on_axes(np.fft.rfftn)), REAL_INPUT, errors=NO_AXES if suffix == "n" else ()),
        transform(f"fft_irfft{suffix}", samples, two(spectrum_axes(np.fft.irfftn)), ANY_INPUT),
        transform(f"fft_hfft{suffix}", samples, two(spectrum_axes(hfftn)), ANY_INPUT),
        transform(f"fft_ihfft{suffix}", samples, two(on_axes(ihfftn)), REAL_INPUT),
    ]

OPS += [
    basic(
        "_fft_c2c",
        lambda d: [
            Sample(rand(3, 4, 6, dtype=d), a) for a in (([1], 0, True), ([0, 2], 1, False), ([-1], 2, True), ([], 0, True))
        ],
        lambda x, dim, n, forward: (
            (np.fft.fftn if forward else np.fft.ifftn)(x, axes=dim, norm=SCALES[n if forward else 2 - n]) if dim else x
        ),
        COMPLEX,
    ),
    basic(
        "_fft_r2c",
        lambda d: [Sample(rand(3, 4, 6, dtype=d), a) for a in (([1], 0, True), ([0, 2], 1, True), ([2, 1], 2, False))],
        lambda x, dim, n, half: (np.fft.rfftn if half else np.fft.fftn)(x, axes=dim, norm=SCALES[n]),
        FLOATS,
    ),
    basic(
        "_fft_c2r",
        lambda d: [Sample(rand(3, 4, 5, dtype=d), a) for a in (([1], 0, 6), ([0, 2], 1, 9), ([1, 2], 2, 8))],
        lambda x, dim, n, last: np.fft.irfftn(x, [*(x.shape[k] for k in dim[:-1]), last], dim, SCALES[2 - n]),
        COMPLEX,
    ),
    frequencies("fft_fftfreq", np.fft.fftfreq),
    frequencies("fft_rfftfreq", np.fft.rfftfreq),
    shift("fft_fftshift", np.fft.fftshift),
    shift("fft_ifftshift", np.fft.ifftshift),
    Op(
        "stft",
        plain_samples,
        narrowed(stft),
        FLOATS + COMPLEX,
        call=plain_stft,
        method=False,
        out=False,
        takes=ON_GPUS,
        errors=STFT_ERRORS,
    ),
    Op("stft", center_samples, narrowed(centered_stft), FLOATS + COMPLEX, call=LIB.stft, method=False, out=False, takes=ON_GPUS),
    Op("istft", istft_samples, istft, COMPLEX, out=False, errors=ISTFT_ERRORS),
]
OPS[-6].errors = BASIC
