"""How optimizers sort tensors into groups for one call."""

from __future__ import annotations

import torch


def _get_foreach_kernels_supported_devices() -> list[str]:
    """Devices whose operators on lists beat a loop."""
    return ["cuda", "xpu", "mtia", torch._C._get_privateuse1_backend_name()]


def _get_fused_kernels_supported_devices() -> list[str]:
    """Devices whose optimizers step in one call."""
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", torch._C._get_privateuse1_backend_name()]


def _device_has_foreach_support(device: torch.device) -> bool:
    return device.type in ("cpu", *_get_foreach_kernels_supported_devices())


def _has_foreach_support(tensors: list[torch.Tensor | None], device: torch.device) -> bool:
    return _device_has_foreach_support(device) and all(t is None or type(t) is torch.Tensor for t in tensors)


def _group_tensors_by_device_and_dtype(
    tensorlistlist: list[list[torch.Tensor | None]], with_indices: bool = False
) -> dict[tuple[torch.device, torch.dtype], tuple[list[list[torch.Tensor | None]], list[int]]]:  # fmt: skip
    """Split lists of tensors of one length by the device and dtype of the first list's."""
    groups: dict = {}
    for index, row in enumerate(zip(*tensorlistlist)):
        first = row[0]
        if first is None:
            raise ValueError("grouping tensors by device and dtype: the first list must have no None")
        lists, indices = groups.setdefault((first.device, first.dtype), ([[] for _ in row], []))
        for group, tensor in zip(lists, row):
            group.append(tensor)
        if with_indices:
            indices.append(index)
    return groups
