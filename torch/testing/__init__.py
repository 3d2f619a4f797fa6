"""Comparisons and sample tensors for tests."""

from torch import _lazy
from torch.testing._comparison import assert_close  # noqa: F401
from torch.testing._creation import make_tensor  # noqa: F401

_lazy.names_what_is_absent(__name__)
