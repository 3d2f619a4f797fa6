"""The layers, by family."""

# ruff: noqa: F405  (the names of __all__ come with the stars)
from torch import _lazy
from torch.nn.modules import (
    _names,
    activation,
    adaptive,
    attention,
    batchnorm,
    batchnorm_lazy,
    container,
    container_parameters,
    conv,
    conv_lazy,
    distance,
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
)
from torch.nn.modules.activation import *  # noqa: F401,F403
from torch.nn.modules.adaptive import *  # noqa: F401,F403
from torch.nn.modules.attention import *  # noqa: F401,F403
from torch.nn.modules.batchnorm import *  # noqa: F401,F403
from torch.nn.modules.batchnorm_lazy import *  # noqa: F401,F403
from torch.nn.modules.container import *  # noqa: F401,F403
from torch.nn.modules.container_parameters import *  # noqa: F401,F403
from torch.nn.modules.conv import *  # noqa: F401,F403
from torch.nn.modules.conv_lazy import *  # noqa: F401,F403
from torch.nn.modules.distance import *  # noqa: F401,F403
from torch.nn.modules.dropout import *  # noqa: F401,F403
from torch.nn.modules.flatten import *  # noqa: F401,F403
from torch.nn.modules.linear import *  # noqa: F401,F403
from torch.nn.modules.loss import *  # noqa: F401,F403
from torch.nn.modules.loss_margin import *  # noqa: F401,F403
from torch.nn.modules.module import Module  # noqa: F401
from torch.nn.modules.normalization import *  # noqa: F401,F403
from torch.nn.modules.padding import *  # noqa: F401,F403
from torch.nn.modules.pooling import *  # noqa: F401,F403
from torch.nn.modules.pooling_adaptive import *  # noqa: F401,F403
from torch.nn.modules.rnn import *  # noqa: F401,F403
from torch.nn.modules.rnn_cell import *  # noqa: F401,F403
from torch.nn.modules.softmax import *  # noqa: F401,F403
from torch.nn.modules.sparse import *  # noqa: F401,F403
from torch.nn.modules.transformer import *  # noqa: F401,F403
from torch.nn.modules.upsampling import *  # noqa: F401,F403

__all__ = [
    "Module", "ReLU", "SiLU", "SELU", "Mish", "Hardsigmoid", "Hardswish", "Sigmoid", "Tanh", "LogSigmoid",
    "Softsign", "Tanhshrink", "GELU", "ELU", "CELU", "LeakyReLU", "RReLU", "PReLU", "Threshold", "Hardtanh",
    "ReLU6", "Hardshrink", "Softshrink", "Softplus", "GLU", "Softmax", "Softmin", "LogSoftmax", "Softmax2d",
    "MultiheadAttention", "AdaptiveLogSoftmaxWithLoss", "BatchNorm1d", "BatchNorm2d", "BatchNorm3d",
    "SyncBatchNorm", "InstanceNorm1d", "InstanceNorm2d", "InstanceNorm3d", "LazyBatchNorm1d",
    "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d",
    "Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict", "Conv1d", "Conv2d", "Conv3d",
    "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "LazyConv1d", "LazyConv2d", "LazyConv3d",
    "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d", "PairwiseDistance",
    "CosineSimilarity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout",
    "FeatureAlphaDropout", "Flatten", "Unflatten", "Unfold", "Fold", "Identity", "Linear",
    "NonDynamicallyQuantizableLinear", "Bilinear", "LazyLinear", "L1Loss", "MSELoss", "SmoothL1Loss",
    "HuberLoss", "CrossEntropyLoss", "NLLLoss", "NLLLoss2d", "BCELoss", "BCEWithLogitsLoss", "KLDivLoss",
    "PoissonNLLLoss", "GaussianNLLLoss", "CTCLoss", "MarginRankingLoss", "CosineEmbeddingLoss",
    "HingeEmbeddingLoss", "MultiLabelMarginLoss", "SoftMarginLoss", "MultiLabelSoftMarginLoss",
    "MultiMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss", "LayerNorm", "RMSNorm",
    "GroupNorm", "LocalResponseNorm", "CrossMapLRN2d", "ConstantPad1d", "ConstantPad2d", "ConstantPad3d",
    "ZeroPad1d", "ZeroPad2d", "ZeroPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d",
    "ReplicationPad1d", "ReplicationPad2d", "ReplicationPad3d", "CircularPad1d", "CircularPad2d",
    "CircularPad3d", "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
    "AvgPool1d", "AvgPool2d", "AvgPool3d", "LPPool1d", "LPPool2d", "LPPool3d", "AdaptiveAvgPool1d",
    "AdaptiveAvgPool2d", "AdaptiveAvgPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d", "AdaptiveMaxPool3d",
    "FractionalMaxPool2d", "FractionalMaxPool3d", "RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell",
    "LSTMCell", "GRUCell", "Embedding", "EmbeddingBag", "TransformerEncoderLayer", "TransformerDecoderLayer",
    "TransformerEncoder", "TransformerDecoder", "Transformer", "Upsample", "UpsamplingNearest2d",
    "UpsamplingBilinear2d", "PixelShuffle", "PixelUnshuffle", "ChannelShuffle",
]  # fmt: skip

_names.settle()

__getattr__, __dir__ = _lazy.lazy(__name__, ("utils",))
