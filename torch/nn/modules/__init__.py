"""The layers, by family."""

from torch.nn.modules.module import Module  # noqa: F401
from torch.nn.modules import (activation, adaptive, batchnorm, container, conv, distance, dropout, flatten, linear, loss,
                              loss_margin, normalization, padding, pooling, rnn, rnn_cell, sparse, transformer, upsampling)

__all__ = ["Module"]
for _family in (activation, adaptive, batchnorm, container, conv, distance, dropout, flatten, linear, loss, loss_margin,
                normalization, padding, pooling, rnn, rnn_cell, sparse, transformer, upsampling):
    for _name in _family.__all__:
        globals()[_name] = getattr(_family, _name)
    __all__ += _family.__all__
