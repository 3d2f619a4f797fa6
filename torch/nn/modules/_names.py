"""Names of torch.nn.modules that pickles and packages look for in other modules than those that define them here."""

from __future__ import annotations

import sys
import types

from torch.nn import common_types
from torch.nn.modules import (
    activation,
    adaptive,
    batchnorm,
    batchnorm_lazy,
    container,
    container_parameters,
    conv,
    conv_lazy,
    dropout,
    flatten,
    linear,
    loss,
    loss_margin,
    normalization,
    padding,
    pooling,
    pooling_adaptive,
    rnn,
    rnn_cell,
    softmax,
    sparse,
    transformer,
    upsampling,
    utils,
)
from torch.nn.modules._constants import set_constants

# Modules that pickles name, with the classes that live in another file here.
_ELSEWHERE = {
    "activation": ("MultiheadAttention", *softmax.__all__),
    "conv": tuple(conv_lazy.__all__),
    "batchnorm": tuple(batchnorm_lazy.__all__),
    "container": tuple(container_parameters.__all__),
    "pooling": (*pooling_adaptive.__all__, "_AdaptiveAvgPoolNd", "_AdaptiveMaxPoolNd"),
    "channelshuffle": ("ChannelShuffle",),
    "fold": ("Fold", "Unfold"),
    "pixelshuffle": ("PixelShuffle", "PixelUnshuffle"),
    "instancenorm": (
        *(name for name in (*batchnorm.__all__, *batchnorm_lazy.__all__) if "InstanceNorm" in name), "_InstanceNorm",
    ),
    "loss": tuple(loss_margin.__all__),
    "rnn": tuple(rnn_cell.__all__),
}  # fmt: skip

# Further names of classes and functions, by module.
_ALIASES = {
    "conv": {
        "_LazyConvXdMixin": conv_lazy._LazyConv, "_ConvTransposeMixin": conv._ConvTransposeNd, "_single": utils._single,
        "_pair": utils._pair, "_triple": utils._triple, "_reverse_repeat_tuple": utils._reverse_repeat_tuple,
        "_size_1_t": common_types._size_1_t, "_size_2_t": common_types._size_2_t, "_size_3_t": common_types._size_3_t,
    },
    "batchnorm": {"_LazyNormBase": batchnorm_lazy._LazyNorm},
    "pooling": {"_single": utils._single, "_pair": utils._pair, "_triple": utils._triple},
    "padding": {"_pair": utils._pair, "_quadruple": utils._quadruple, "_ntuple": utils._ntuple},
}  # fmt: skip

_DEFINING = (
    activation, adaptive, batchnorm, batchnorm_lazy, container, container_parameters, conv, conv_lazy, dropout, flatten, linear,
    loss, loss_margin, normalization, padding, pooling, pooling_adaptive, rnn, rnn_cell, softmax, sparse, transformer, upsampling,
)  # fmt: skip


def settle() -> None:
    """Put the classes where they are looked for."""
    package = sys.modules["torch.nn.modules"]
    spaces = [vars(module) for module in (*_DEFINING, package)]
    for where, names in _ELSEWHERE.items():
        full = f"torch.nn.modules.{where}"
        if full not in sys.modules:
            sys.modules[full] = types.ModuleType(full, "Names of this module live in another file.")
            setattr(package, where, sys.modules[full])
        for name in names:
            kind = next(space[name] for space in spaces if name in space)
            kind.__module__ = full
            setattr(sys.modules[full], name, kind)
    for where, aliases in _ALIASES.items():
        vars(sys.modules[f"torch.nn.modules.{where}"]).update(aliases)
    set_constants({kind for space in spaces for kind in space.values() if isinstance(kind, type)})
