"""All operators of torch.masked, under the module name that programs know."""

from torch.masked._elementwise import cumprod, cumsum, log_softmax, logaddexp, normalize, softmax, softmin
from torch.masked._mask import _combine_input_and_mask, _input_mask, _output_mask, _reduction_identity
from torch.masked._reductions import amax, amin, argmax, argmin, logsumexp, mean, median, norm, prod, std, sum, var

__all__ = ["amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean", "median",
           "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var", "_combine_input_and_mask", "_input_mask",
           "_output_mask", "_reduction_identity"]  # fmt: skip
