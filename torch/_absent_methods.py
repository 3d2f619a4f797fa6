"""Attributes of PyTorch's Tensor that this version does not have. Using one raises an error that says so.

They are descriptors in the type, so lookups of other attributes cost nothing extra. Their list belongs to the
table in `_absent_names`, but is kept here because `import torch` needs only this part."""

from __future__ import annotations

from torch import _C
from torch._lazy import without_operators

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import NoReturn

NAMES = """
ccol_indices coalesce col_indices crow_indices dense_dim dequantize index indices int_repr ipu is_coalesced mtia
q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme resize_as_sparse_ row_indices
smm sparse_dim sparse_mask sparse_resize_ sparse_resize_and_clear_ sspaddmm to_mkldnn to_padded_tensor to_sparse to_sparse_bsc
to_sparse_bsr to_sparse_coo to_sparse_csc to_sparse_csr values xpu
"""


class Absent:
    """Raises AttributeError, with what to use instead, when it is read from the type or a tensor."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, tensor: object, kind: type | None = None) -> NoReturn:
        from torch._absent import attribute_error

        raise attribute_error("torch.Tensor", self.name, tensor if tensor is not None else kind)


def present(kind: type, names: Iterable[str]) -> list[str]:
    """The names of `kind`, Tensor or a class derived from it, without the absent ones."""
    spaces = [vars(base) for base in kind.__mro__]

    def value(name: str) -> object:
        return next((space[name] for space in spaces if name in space), None)

    return [name for name in names if type(value(name)) is not Absent]


def attach(kind: type) -> None:
    """Add descriptors for absent attributes to `kind`, which is Tensor."""
    for name in without_operators(_C):
        if name in vars(kind):
            delattr(kind, name)
    spaces = [vars(base) for base in kind.__mro__]
    for name in NAMES.split():
        if not any(name in space for space in spaces):  # an operator may have been added that is still in the list
            setattr(kind, name, Absent(name))
