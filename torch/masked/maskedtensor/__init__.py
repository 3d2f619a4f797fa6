"""Tensors that carry a mask."""

from torch.masked.maskedtensor.core import MaskedTensor, is_masked_tensor
from torch.masked.maskedtensor.creation import as_masked_tensor, masked_tensor
