"""Channels and pixels shuffled."""

import torch
from ops.common import ALL, FUNCTION_ONLY, Op, Sample, rand


def pixel_shuffle(x, r):
    *lead, c, h, w = x.shape
    x = x.reshape(*lead, c // r**2, r, r, h, w)
    n = len(lead)
    return x.transpose(*range(n + 1), n + 3, n + 1, n + 4, n + 2).reshape(*lead, c // r**2, h * r, w * r)


def pixel_unshuffle(x, r):
    *lead, c, h, w = x.shape
    x = x.reshape(*lead, c, h // r, r, w // r, r)
    n = len(lead)
    return x.transpose(*range(n + 1), n + 2, n + 4, n + 1, n + 3).reshape(*lead, c * r**2, h // r, w // r)


def channel_shuffle(x, groups):
    n, c, *rest = x.shape
    return x.reshape(n, groups, c // groups, *rest).swapaxes(1, 2).reshape(x.shape)


X = torch.zeros(3, 2, 4)

OPS = [
    Op("pixel_shuffle", lambda dtype: [Sample(rand(*s, dtype=dtype), (r,)) for s, r in (((1, 4, 1, 2), 2), ((9, 2, 3), 3), ((2, 2, 8, 3, 2), 2), ((0, 4, 2, 2), 2))],
       pixel_shuffle, ALL, **FUNCTION_ONLY,
       errors=((lambda: torch.pixel_shuffle(X, 2), RuntimeError, "divisible by the square of upscale_factor"),
               (lambda: torch.pixel_shuffle(X[0], 2), RuntimeError, "at least 3 dimensions"),
               (lambda: torch.pixel_shuffle(X, 0), RuntimeError, "positive upscale_factor"))),
    Op("pixel_unshuffle", lambda dtype: [Sample(rand(*s, dtype=dtype), (r,)) for s, r in (((1, 1, 2, 4), 2), ((2, 3, 6), 3), ((2, 2, 2, 4, 2), 2), ((0, 1, 2, 2), 2))],
       pixel_unshuffle, ALL, **FUNCTION_ONLY,
       errors=((lambda: torch.pixel_unshuffle(X, 3), RuntimeError, "divisible by downscale_factor"),
               (lambda: torch.pixel_unshuffle(X[0], 2), RuntimeError, "at least 3 dimensions"),
               (lambda: torch.pixel_unshuffle(X, 0), RuntimeError, "positive downscale_factor"))),
    Op("channel_shuffle", lambda dtype: [Sample(rand(*s, dtype=dtype), (g,)) for s, g in (((1, 4, 2), 2), ((2, 6, 2, 3), 3), ((0, 2, 2), 1))],
       channel_shuffle, ALL, **FUNCTION_ONLY,
       errors=((lambda: torch.channel_shuffle(X, 3), RuntimeError, "divisible by groups"),
               (lambda: torch.channel_shuffle(X, 0), RuntimeError, "must be positive"),
               (lambda: torch.channel_shuffle(X[0], 2), RuntimeError, "> 2 dims"))),
    Op("native_channel_shuffle", lambda dtype: [Sample(rand(*s, dtype=dtype), (g,)) for s, g in (((1, 4, 2), 2), ((2, 6, 2, 3), 3))], channel_shuffle, ALL, **FUNCTION_ONLY),
]  # fmt: skip
