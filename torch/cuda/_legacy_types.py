"""`torch.cuda.FloatTensor`, `torch.cuda.FloatStorage` and similar types: old names of dtypes on GPUs."""

from __future__ import annotations

from typing import Any

from torch._legacy_types import make_types
from torch.storage import _DTYPES, _LegacyStorage, _LegacyStorageMeta

_DOC = """Legacy storage of {dtype} elements on a GPU.

Args:
    *args (int or Sequence): the number of elements, or their values
    device (device, optional): the GPU; the current one by default
    dtype (torch.dtype, optional): {dtype}
    wrap_storage (UntypedStorage, optional): bytes to look at instead of new ones
"""


class _CudaLegacyStorage(_LegacyStorage):
    def __init__(self, *args: Any, device: Any = None, **kwargs: Any) -> None:
        super().__init__(*args, device="cuda" if device is None and "wrap_storage" not in kwargs else device, **kwargs)


globals().update(make_types("torch.cuda", "cuda"))
for _name, _dtype in _DTYPES.items():
    globals()[_name] = _LegacyStorageMeta(
        _name, (_CudaLegacyStorage,), {"__module__": "torch.cuda", "_fixed_dtype": _dtype, "__doc__": _DOC.format(dtype=_dtype)}
    )
