"""The layers, by family."""

from torch.nn.modules import (
    activation,
    adaptive,
    batchnorm,
    container,
    conv,
    distance,
    dropout,
    flatten,
    linear,
    loss,
    loss_margin,
    normalization,
    padding,
    pooling,
    rnn,
    rnn_cell,
    sparse,
    transformer,
    upsampling,
)
from torch.nn.modules.module import Module  # noqa: F401

__all__ = ["Module"]
for _family in (activation, adaptive, batchnorm, container, conv, distance, dropout, flatten, linear, loss,
                loss_margin,
                normalization, padding, pooling, rnn, rnn_cell, sparse, transformer, upsampling):
    for _name in _family.__all__:
        globals()[_name] = getattr(_family, _name)
    __all__ += _family.__all__

_ELSEWHERE = {  # modules that PyTorch's pickles name, with the classes that live in another file here
    "channelshuffle": ("ChannelShuffle",), "fold": ("Fold", "Unfold"), "pixelshuffle": ("PixelShuffle",
                                                                                        "PixelUnshuffle"),
    "instancenorm": tuple(name for name in batchnorm.__all__ if "InstanceNorm" in name),
    "loss": tuple(loss_margin.__all__), "rnn": tuple(rnn_cell.__all__),
}


def _settle():
    import sys
    import types

    for where, names in _ELSEWHERE.items():
        full = f"{__name__}.{where}"
        if full not in sys.modules:
            sys.modules[full] = globals()[where] = types.ModuleType(full, "Names of this module live in "
                                                                          "another file.")
        for name in names:
            kind = globals()[name]
            kind.__module__ = full
            setattr(sys.modules[full], name, kind)


_settle()
