"""`__constants__` of the layers: attributes that TorchScript takes for constants. Subclasses in packages add to them."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable

# Classes: their attributes. Subclasses inherit the list.
_ATTRIBUTES = {
    "Threshold": "threshold value inplace",
    "ReLU Hardsigmoid SiLU Mish Hardswish SELU": "inplace",
    "RReLU": "lower upper inplace",
    "Hardtanh": "min_val max_val inplace",
    "ELU CELU": "alpha inplace",
    "GLU Softmin Softmax LogSoftmax": "dim",
    "GELU": "approximate",
    "Hardshrink Softshrink": "lambd",
    "LeakyReLU": "inplace negative_slope",
    "Softplus": "beta threshold",
    "MultiheadAttention": "batch_first",
    "PReLU": "num_parameters",
    "_NormBase": "track_running_stats momentum eps num_features affine",
    "ChannelShuffle": "groups",
    "_ConvNd": "stride padding dilation groups padding_mode output_padding in_channels out_channels kernel_size",
    "PairwiseDistance": "norm eps keepdim",
    "CosineSimilarity": "dim eps",
    "_DropoutNd": "p inplace",
    "Flatten": "start_dim end_dim",
    "Unflatten": "dim unflattened_size",
    "Fold": "output_size kernel_size dilation padding stride",
    "Unfold": "kernel_size dilation padding stride",
    "Linear": "in_features out_features",
    "Bilinear": "in1_features in2_features out_features",
    "L1Loss KLDivLoss MSELoss BCELoss MultiLabelMarginLoss SmoothL1Loss SoftMarginLoss MultiLabelSoftMarginLoss": "reduction",
    "NLLLoss": "ignore_index reduction",
    "PoissonNLLLoss": "log_input full eps reduction",
    "GaussianNLLLoss": "full eps reduction",
    "HingeEmbeddingLoss CosineEmbeddingLoss MarginRankingLoss": "margin reduction",
    "HuberLoss": "reduction delta",
    "CrossEntropyLoss": "ignore_index reduction label_smoothing",
    "MultiMarginLoss": "p margin reduction",
    "TripletMarginLoss": "margin p eps swap reduction",
    "TripletMarginWithDistanceLoss": "margin swap reduction",
    "CTCLoss": "blank reduction",
    "LocalResponseNorm": "size alpha beta k",
    "LayerNorm RMSNorm": "normalized_shape eps elementwise_affine",
    "GroupNorm": "num_groups num_channels eps affine",
    "_CircularPadNd _ReflectionPadNd _ReplicationPadNd": "padding",
    "_ConstantPadNd ConstantPad2d": "padding value",
    "PixelShuffle": "upscale_factor",
    "PixelUnshuffle": "downscale_factor",
    "_MaxPoolNd": "kernel_size stride padding dilation return_indices ceil_mode",
    "_AvgPoolNd AvgPool1d": "kernel_size stride padding ceil_mode count_include_pad",
    "AvgPool2d AvgPool3d": "kernel_size stride padding ceil_mode count_include_pad divisor_override",
    "FractionalMaxPool2d FractionalMaxPool3d": "kernel_size return_indices output_size output_ratio",
    "_LPPoolNd": "norm_type kernel_size stride ceil_mode",
    "_AdaptiveMaxPoolNd": "output_size return_indices",
    "_AdaptiveAvgPoolNd": "output_size",
    "RNNBase": "mode input_size hidden_size num_layers bias batch_first dropout bidirectional proj_size",
    "RNNCellBase": "input_size hidden_size bias",
    "RNNCell": "input_size hidden_size bias nonlinearity",
    "Embedding": "num_embeddings embedding_dim padding_idx max_norm norm_type scale_grad_by_freq sparse",
    "EmbeddingBag":
        "num_embeddings embedding_dim max_norm norm_type scale_grad_by_freq mode sparse include_last_offset padding_idx",
    "TransformerEncoder TransformerDecoder": "norm",
    "TransformerEncoderLayer TransformerDecoderLayer": "norm_first",
    "Upsample": "size scale_factor mode align_corners name recompute_scale_factor",
}  # fmt: skip


def set_constants(classes: Iterable[type]) -> None:
    """Give every class of the table its list."""
    lists = {name: attributes for names, attributes in _ATTRIBUTES.items() for name in names.split()}
    for kind in classes:
        attributes = lists.get(kind.__name__)
        if attributes is not None:
            kind.__constants__ = attributes.split()  # type: ignore[attr-defined]
