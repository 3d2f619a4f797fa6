"""What the namespace can tell about itself: capabilities, devices, dtypes."""

from __future__ import annotations

import torch
from torch._array_api.dtypes import KINDS

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class Info:
    """The inspection interface of the standard."""

    def capabilities(self) -> dict[str, Any]:
        """Boolean indexing and data-dependent shapes are there; tensors have at most 64 dimensions."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> torch.device:
        """Where new tensors are made."""
        return torch.get_default_device()

    def default_dtypes(self, *, device: torch.device | str | None = None) -> dict[str, torch.dtype]:
        """Dtypes of new tensors, by kind."""
        real = torch.get_default_dtype()
        return {"real floating": real, "complex floating": real.to_complex(), "integral": torch.int64, "indexing": torch.int64}

    def devices(self) -> list[torch.device]:
        """Devices that a tensor can be on."""
        found = [torch.device("cpu"), torch.device("meta")]
        if torch.cuda.is_available():
            found[1:1] = [torch.device("cuda", i) for i in range(torch.cuda.device_count())]
        return found

    def dtypes(
        self, *, device: torch.device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, torch.dtype]:
        """The dtypes of the standard, all or those of a kind."""
        kinds = ("bool", "numeric") if kind is None else kind if isinstance(kind, tuple) else (kind,)
        for k in kinds:
            if k not in KINDS:
                raise ValueError(f"dtypes: kind must be one of {sorted(KINDS)}, got {k!r}")
        return {str(d).removeprefix("torch."): d for k in kinds for d in KINDS[k]}


def __array_namespace_info__() -> Info:
    """The inspection interface."""
    return Info()
