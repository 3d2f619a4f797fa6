"""Comparisons and sample tensors for tests."""

from torch import _lazy
from torch.testing._comparison import assert_close  # noqa: F401
from torch.testing._creation import make_tensor  # noqa: F401

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch.testing._allclose import assert_allclose as assert_allclose
    from torch.testing._file_check import FileCheck as FileCheck
else:
    __getattr__, __dir__ = _lazy.lazy(
        __name__, (), {"FileCheck": "torch.testing._file_check", "assert_allclose": "torch.testing._allclose"}
    )
