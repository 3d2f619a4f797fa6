"""Layers, losses and optimizers in the shapes that networks have, with random numbers; and long signals of one channel.

The sweep scales the samples of tests up: it has every operator, but few of the shapes of real layers. Both interpreters import
this module and make the same cases.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import nn

DTYPES = ("float32", "float64", "bfloat16", "float16")


def differentiated(f, inputs, backward):
    """The function to time: f, or its gradients."""
    if not backward:
        return f
    for t in inputs:
        t.requires_grad_()
    y = f()
    y = y[0] if isinstance(y, tuple) else y
    ones = torch.ones_like(y)
    return lambda: torch.autograd.grad(y, inputs, ones, retain_graph=True, allow_unused=True)


def convolution(dims, shape, results, window, transposed=False, channels_last=False, **kwargs):
    def make(dtype, backward):
        groups = kwargs.get("groups", 1)
        channels = (shape[1], results // groups) if transposed else (results, shape[1] // groups)
        x, w, b = torch.randn(shape).to(dtype), torch.randn(*channels, *[window] * dims).to(dtype), torch.randn(results).to(dtype)
        if channels_last:
            x, w = (t.contiguous(memory_format=torch.channels_last) for t in (x, w))
        f = getattr(F, f"conv{'_transpose' if transposed else ''}{dims}d")
        return differentiated(lambda: f(x, w, b, **kwargs), [x, w, b], backward)

    return make


def attention(query, key, mask=False, **kwargs):
    def make(dtype, backward):
        q, k, v = (torch.randn(s).to(dtype) for s in (query, key, key))
        seen = torch.rand(query[-2], key[-2]) > 0.3 if mask else None
        return differentiated(lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=seen, **kwargs), [q, k, v], backward)

    return make


def module(build, *shapes, channels_last=False):
    def make(dtype, backward):
        m, x = build().to(dtype), [torch.randn(s).to(dtype) for s in shapes]
        if channels_last:
            x = [t.contiguous(memory_format=torch.channels_last) for t in x]
        if backward:
            return differentiated(lambda: m(*x), [*x, *m.parameters()], True)

        def forward():
            with torch.no_grad():
                return m(*x)

        return forward

    return make


def loss(f, shape, target):
    def make(dtype, backward):
        x, y = torch.randn(shape).to(dtype), target()
        y = y.to(dtype) if y.is_floating_point() else y
        return differentiated(lambda: f(x, y), [x], backward)

    return make


def lookup(f):
    def make(dtype, backward):
        table, index = torch.randn(10000, 128).to(dtype), torch.randint(0, 10000, (64, 64))
        return differentiated(lambda: f(index, table), [table], backward)

    return make


def step(build):
    def make(dtype, backward):
        sizes = [(256, 256)] * 20 + [(256,)] * 20
        parameters = [torch.randn(s).to(dtype).requires_grad_() for s in sizes]
        for p in parameters:
            p.grad = torch.randn_like(p)
        return build(parameters)

    return make


def classes(count, *shape):
    return lambda: torch.randint(0, count, shape)


LAYERS = {
    "conv2d 3 x 3, 64 channels": convolution(2, (4, 64, 56, 56), 64, 3, padding=1),
    "conv2d 3 x 3, 64 channels, channels last": convolution(2, (4, 64, 56, 56), 64, 3, channels_last=True, padding=1),
    "conv2d 7 x 7, stride 2, 3 channels": convolution(2, (4, 3, 112, 112), 64, 7, padding=3, stride=2),
    "conv2d 1 x 1, 256 channels": convolution(2, (4, 256, 28, 28), 64, 1),
    "conv2d 3 x 3, stride 2, 128 channels": convolution(2, (4, 128, 28, 28), 128, 3, padding=1, stride=2),
    "conv2d 3 x 3, dilation 2": convolution(2, (2, 64, 28, 28), 64, 3, padding=2, dilation=2),
    "conv2d 3 x 3, depthwise": convolution(2, (4, 144, 28, 28), 144, 3, padding=1, groups=144),
    "conv2d 3 x 3, depthwise, channels last": convolution(
        2, (4, 144, 28, 28), 144, 3, channels_last=True, padding=1, groups=144
    ),
    "conv2d 3 x 3, depthwise, stride 2": convolution(2, (4, 64, 56, 56), 64, 3, padding=1, stride=2, groups=64),
    "conv2d 3 x 3, depthwise, small": convolution(2, (16, 64, 7, 7), 64, 3, padding=1, groups=64),
    "conv2d 1 x 1, stride 2": convolution(2, (16, 64, 28, 28), 128, 1, stride=2),
    "conv2d 1 x 1, 4 groups": convolution(2, (8, 96, 14, 14), 96, 1, groups=4),
    "conv2d 3 x 3, one result, channels last": convolution(2, (8, 64, 32, 32), 1, 3, channels_last=True, padding=1),
    "conv2d 7 x 7, dilation 2, channels last": convolution(
        2, (1, 64, 33, 33), 16, 7, channels_last=True, padding=3, dilation=2
    ),
    "conv1d of few elements": convolution(1, (1, 6, 100), 12, 3, padding=1, stride=2),
    "conv3d 2, 3 channels": convolution(3, (16, 3, 8, 8, 8), 64, 2, padding=1),
    "conv2d 3 x 3, 8 groups": convolution(2, (4, 128, 28, 28), 128, 3, padding=1, groups=8),
    "conv2d, patches of 16": convolution(2, (2, 3, 224, 224), 192, 16, stride=16),
    "conv1d 3": convolution(1, (8, 64, 512), 128, 3, padding=1),
    "conv1d 7, dilation 4": convolution(1, (4, 64, 512), 64, 7, padding=12, dilation=4),
    "conv1d 31, depthwise": convolution(1, (4, 128, 400), 128, 31, padding=15, groups=128),
    "conv3d 3": convolution(3, (2, 16, 16, 16, 16), 32, 3, padding=1),
    "conv_transpose2d 4, stride 2": convolution(2, (2, 64, 28, 28), 32, 4, transposed=True, stride=2, padding=1),
    "conv_transpose1d 8, stride 4": convolution(1, (4, 64, 128), 32, 8, transposed=True, stride=4, padding=2),
    "conv_transpose3d 2, stride 2": convolution(3, (1, 32, 8, 8, 8), 16, 2, transposed=True, stride=2),
    "attention, 512 tokens": attention((2, 8, 512, 64), (2, 8, 512, 64)),
    "attention, 512 tokens, causal": attention((2, 8, 512, 64), (2, 8, 512, 64), is_causal=True),
    "attention, 256 tokens, mask": attention((2, 8, 256, 64), (2, 8, 256, 64), mask=True),
    "attention, 197 tokens": attention((1, 4, 197, 48), (1, 4, 197, 48)),
    "attention, one query": attention((1, 8, 1, 64), (1, 8, 1024, 64)),
    "attention, heads of 128, causal": attention((2, 8, 128, 128), (2, 8, 128, 128), is_causal=True),
    "attention, grouped heads": attention((1, 8, 128, 64), (1, 2, 128, 64), is_causal=True, enable_gqa=True),
    "LSTM": module(lambda: nn.LSTM(128, 128, 2), (50, 32, 128)),
    "GRU, both ways": module(lambda: nn.GRU(64, 64, bidirectional=True), (50, 32, 64)),
    "RNN": module(lambda: nn.RNN(64, 64), (50, 16, 64)),
    "LSTM, 256 units": module(lambda: nn.LSTM(28, 256, batch_first=True), (64, 28, 28)),
    "GRU, 256 units": module(lambda: nn.GRU(28, 256, batch_first=True), (64, 28, 28)),
    "RNN, 256 units": module(lambda: nn.RNN(28, 256, batch_first=True), (64, 28, 28)),
    "Linear, 1024 to 1024": module(lambda: nn.Linear(1024, 1024), (256, 1024)),
    "TransformerEncoderLayer": module(
        lambda: nn.TransformerEncoderLayer(256, 4, 512, dropout=0, batch_first=True), (4, 64, 256)
    ),
    "MultiheadAttention": module(lambda: nn.MultiheadAttention(256, 4, batch_first=True), *[(4, 64, 256)] * 3),
    "LayerNorm 768": module(lambda: nn.LayerNorm(768), (512, 768)),
    "LayerNorm 64": module(lambda: nn.LayerNorm(64), (4096, 64)),
    "RMSNorm 768": module(lambda: nn.RMSNorm(768), (512, 768)),
    "BatchNorm2d": module(lambda: nn.BatchNorm2d(64), (8, 64, 56, 56)),
    "BatchNorm1d": module(lambda: nn.BatchNorm1d(512), (256, 512)),
    "GroupNorm, channels last": module(lambda: nn.GroupNorm(4, 100), (16, 100, 7, 7), channels_last=True),
    "GroupNorm": module(lambda: nn.GroupNorm(32, 128), (4, 128, 28, 28)),
    "InstanceNorm2d": module(lambda: nn.InstanceNorm2d(64), (4, 64, 56, 56)),
    "Linear, 128 rows": module(lambda: nn.Linear(768, 3072), (128, 768)),
    "Linear, one row": module(lambda: nn.Linear(768, 3072), (1, 768)),
    "Bilinear": module(lambda: nn.Bilinear(32, 32, 64), (64, 32), (64, 32)),
    "GELU": module(lambda: nn.GELU(), (512, 3072)),
    "GELU by tanh": module(lambda: nn.GELU("tanh"), (512, 3072)),
    "SiLU": module(lambda: nn.SiLU(), (512, 3072)),
    "ELU": module(lambda: nn.ELU(), (512, 3072)),
    "Softmax": module(lambda: nn.Softmax(-1), (512, 1000)),
    "LogSoftmax": module(lambda: nn.LogSoftmax(-1), (64, 32000)),
    "MaxPool2d": module(lambda: nn.MaxPool2d(3, 2, 1), (8, 64, 56, 56)),
    "AvgPool2d": module(lambda: nn.AvgPool2d(2), (8, 64, 56, 56)),
    "AvgPool2d of small planes": module(lambda: nn.AvgPool2d(3, 2), (8, 64, 28, 28)),
    "AvgPool2d, channels last": module(lambda: nn.AvgPool2d(3, 2), (8, 64, 28, 28), channels_last=True),
    "MaxPool2d, channels last": module(lambda: nn.MaxPool2d(2), (8, 64, 56, 56), channels_last=True),
    "AdaptiveAvgPool1d": module(lambda: nn.AdaptiveAvgPool1d(5), (8, 64, 400)),
    "AdaptiveAvgPool2d to 7": module(lambda: nn.AdaptiveAvgPool2d(7), (8, 64, 56, 56)),
    "AdaptiveAvgPool2d to 7, channels last": module(
        lambda: nn.AdaptiveAvgPool2d(7), (8, 64, 56, 56), channels_last=True
    ),
    "AdaptiveMaxPool2d to more": module(lambda: nn.AdaptiveMaxPool2d(48), (8, 64, 32, 32)),
    "AdaptiveAvgPool2d": module(lambda: nn.AdaptiveAvgPool2d(1), (8, 512, 7, 7)),
    "Upsample, bilinear": module(lambda: nn.Upsample(scale_factor=2, mode="bilinear"), (2, 64, 28, 28)),
    "Upsample, nearest": module(lambda: nn.Upsample(scale_factor=2), (2, 64, 28, 28)),
    "Upsample, bicubic": module(lambda: nn.Upsample(scale_factor=2, mode="bicubic"), (2, 16, 28, 28)),
    "PixelShuffle": module(lambda: nn.PixelShuffle(2), (2, 64, 28, 28)),
    "Unfold": module(lambda: nn.Unfold(3, padding=1), (2, 16, 32, 32)),
    "GLU": module(lambda: nn.GLU(), (256, 1024)),
    "PReLU": module(lambda: nn.PReLU(64), (8, 64, 28, 28)),
    "ReflectionPad2d of small planes": module(lambda: nn.ReflectionPad2d(1), (64, 16, 16, 16)),
    "ReflectionPad2d": module(lambda: nn.ReflectionPad2d(3), (4, 32, 56, 56)),
    "cross_entropy, 1,000 classes": loss(F.cross_entropy, (512, 1000), classes(1000, 512)),
    "cross_entropy, 32,000 classes": loss(F.cross_entropy, (64, 32000), classes(32000, 64)),
    "cross_entropy, smoothed": loss(
        lambda x, y: F.cross_entropy(x, y, label_smoothing=0.1), (512, 1000), classes(1000, 512)
    ),
    "cross_entropy of images": loss(F.cross_entropy, (2, 21, 64, 64), classes(21, 2, 64, 64)),
    "binary_cross_entropy_with_logits": loss(
        F.binary_cross_entropy_with_logits, (512, 512), lambda: torch.rand(512, 512)
    ),
    "mse_loss": loss(F.mse_loss, (512, 512), lambda: torch.rand(512, 512)),
    "smooth_l1_loss": loss(F.smooth_l1_loss, (512, 512), lambda: torch.rand(512, 512)),
    "kl_div": loss(lambda x, y: F.kl_div(x, y, reduction="batchmean"), (512, 512), lambda: torch.rand(512, 512)),
    "embedding": lookup(F.embedding),
    "embedding_bag": lookup(lambda index, table: F.embedding_bag(index, table, mode="mean")),
}  # fmt: skip

# Signals: one channel and one long line, whose work is not shared by other lines.
LINE = (1, 1, 160_000)


def spectrum(x):
    return torch.view_as_real(torch.stft(x[0], 1024, 256, window=torch.ones(1024, dtype=x.dtype), return_complex=True))


SIGNALS = {
    "line, Upsample, linear": module(lambda: nn.Upsample(scale_factor=2, mode="linear"), LINE),
    "line, half as long, linear": module(lambda: nn.Upsample(scale_factor=0.5, mode="linear"), LINE),
    "line, Upsample, nearest": module(lambda: nn.Upsample(scale_factor=2), LINE),
    "line, half as long, nearest": module(lambda: nn.Upsample(scale_factor=0.5), LINE),
    "line, ReflectionPad1d": module(lambda: nn.ReflectionPad1d(512), LINE),
    "line, ReplicationPad1d": module(lambda: nn.ReplicationPad1d(512), LINE),
    "line, CircularPad1d": module(lambda: nn.CircularPad1d(512), LINE),
    "line, AvgPool1d": module(lambda: nn.AvgPool1d(5, 1), LINE),
    "line, MaxPool1d": module(lambda: nn.MaxPool1d(3, 1), LINE),
    "lines, MaxPool1d of 4": module(lambda: nn.MaxPool1d(4), (16, 32, 400)),
    "line, Conv1d of 63": convolution(1, LINE, 1, 63, padding=31),
    "line, Conv1d, dilated": convolution(1, (4, 32, 8000), 32, 2, dilation=16),
    "line, ConvTranspose1d": convolution(1, (1, 1, 20_000), 1, 16, True, stride=8),
    "line, cumsum": loss(lambda x, _: x.cumsum(-1), LINE, lambda: torch.zeros(())),
    "line, stft": loss(lambda x, _: spectrum(x), (1, 160_000), lambda: torch.zeros(())),
}


def made(create):
    return lambda dtype, _: lambda: create(dtype)


FACTORIES = {
    "arange": made(lambda dtype: torch.arange(160_000, dtype=dtype)),
    "linspace": made(lambda dtype: torch.linspace(0, 1, 160_000, dtype=dtype)),
    **{
        name: made(lambda dtype, name=name: getattr(torch, name)(160_000, dtype=dtype))
        for name in ("hann_window", "blackman_window", "kaiser_window", "bartlett_window")
    },
}

STEPS = {
    **{
        name: step(lambda p, name=name: getattr(torch.optim, name)(p).step)
        for name in ("Adam", "RMSprop", "Adagrad", "Adamax", "NAdam", "RAdam", "Rprop", "ASGD", "Adadelta", "Adafactor")
    },
    "AdamW, fused": step(lambda p: torch.optim.AdamW(p, fused=True).step),
    "SGD, momentum": step(lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9).step),
    "clip_grad_norm_": step(lambda p: lambda: nn.utils.clip_grad_norm_(p, 1.0)),
}


def cases():
    """Name -> function that makes the function to time."""
    found = {}
    for dtype in DTYPES:
        for backward in (False, True):
            for name, make in {**LAYERS, **SIGNALS}.items():
                found[f"{name}, {dtype} {'backward' if backward else 'forward'}"] = make, getattr(torch, dtype), backward
        for name, make in STEPS.items():
            found[f"{name}, {dtype} step"] = make, getattr(torch, dtype), False
        for name, make in FACTORIES.items():
            found[f"{name}, {dtype}"] = make, getattr(torch, dtype), False
    return found
