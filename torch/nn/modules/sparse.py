"""Tables of vectors."""

from __future__ import annotations

import torch
from torch.nn import functional as F
from torch.nn import init
from torch.nn.modules._shared import empty_parameter
from torch.nn.modules.module import Module
from torch.nn.parameter import Parameter

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing_extensions import Self

    from torch import Tensor
    from torch.types import Device


class _Table(Module):
    def _make(
        self, rows: int, width: int, padding_idx: int | None, weight: Tensor | None, freeze: bool, device: Device,
        dtype: torch.dtype | None,
    ) -> None:  # fmt: skip
        if padding_idx is not None:
            if not -rows <= padding_idx < rows:
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx += rows if padding_idx < 0 else 0
        self.padding_idx = padding_idx
        if weight is None:
            self.weight = Parameter(torch.empty((rows, width), device=device, dtype=dtype), requires_grad=not freeze)
            self.reset_parameters()
        else:
            if list(weight.shape) != [rows, width]:
                raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
            self.weight = Parameter(weight, requires_grad=not freeze)

    def reset_parameters(self) -> None:
        """Draws the table anew from the standard normal distribution; zeros in the padding row.

        Example:
            >>> nn.Embedding(2, 3).reset_parameters()
        """
        init.normal_(self.weight)
        if self.padding_idx is not None:
            with torch.no_grad():
                self.weight[self.padding_idx].fill_(0)


class Embedding(_Table):
    """A trained table: row i for every index i of the input.

    Args:
        num_embeddings (int): rows of the table
        embedding_dim (int): length of a row
        padding_idx (int or None): a row that is zero at first and gets no gradient
        max_norm (float or None): rows that are looked up and longer than this are first shortened to it; None: no limit
        norm_type (float, default 2.0): order of the norm for `max_norm`
        scale_grad_by_freq (bool, default False): divide the gradient of a row by how often it was looked up
        sparse (bool, default False): make the gradient of the table sparse
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        indices from 0 to num_embeddings - 1, (*), int64 or int32, to (*, embedding_dim)

    Attributes:
        weight: the table, (num_embeddings, embedding_dim), standard normal at first

    Raises:
        IndexError: an index is outside the table

    Example:
        >>> nn.Embedding(10, 3)(torch.tensor([[1, 2, 4]])).shape
        torch.Size([1, 3, 3])
    """

    num_embeddings: int
    embedding_dim: int
    padding_idx: int | None
    weight: Parameter

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None,
        _freeze: bool = False, device: Device = None, dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type = max_norm, norm_type
        self.scale_grad_by_freq, self.sparse = scale_grad_by_freq, sparse
        self._make(num_embeddings, embedding_dim, padding_idx, _weight, _freeze, device, dtype)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None, max_norm: float | None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False,
    ) -> Self:  # fmt: skip
        """An embedding with a given table.

        Args:
            embeddings (Tensor): the table, (num_embeddings, embedding_dim)
            freeze (bool, default True): do not train it
            padding_idx (int or None): a row that is zero at first and gets no gradient
            max_norm (float or None): rows that are looked up and longer than this are first shortened to it; None: no limit
            norm_type (float, default 2.0): order of the norm for `max_norm`
            scale_grad_by_freq (bool, default False): divide the gradient of a row by how often it was looked up
            sparse (bool, default False): make the gradient of the table sparse

        Returns:
            the embedding

        Raises:
            AssertionError: the table has not 2 dimensions

        Example:
            >>> nn.Embedding.from_pretrained(torch.eye(3))(torch.tensor([2]))
            tensor([[0., 0., 1.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        return cls(*embeddings.shape, padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, embeddings, freeze)

    def forward(self, input: Tensor) -> Tensor:
        return F.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq, self.sparse
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        for name, plain in (("padding_idx", None), ("max_norm", None), ("norm_type", 2), ("scale_grad_by_freq", False)):
            if getattr(self, name) is not plain and getattr(self, name) != plain:
                text += f", {name}={getattr(self, name)}"
        return text + ", sparse=True" if self.sparse else text


class EmbeddingBag(_Table):
    """Sum, mean or maximum of the rows of each bag of indices, without making the rows themselves.

    Args:
        num_embeddings (int): rows of the table
        embedding_dim (int): length of a row
        max_norm (float or None): rows that are looked up and longer than this are first shortened to it; None: no limit
        norm_type (float, default 2.0): order of the norm for `max_norm`
        scale_grad_by_freq (bool, default False): divide the gradient of a row by how often it was looked up
        mode (str, default "mean"): 'sum', 'mean' or 'max'
        sparse (bool, default False): make the gradient of the table sparse
        include_last_offset (bool, default False): the last entry of `offsets` is the end of the last bag
        padding_idx (int or None): a row that is zero at first and gets no gradient
        device (device or None): where the parameters are made; None: the default device
        dtype (dtype or None): their type; None: the default dtype

    Shape:
        indices (bags, length), or (all indices) and `offsets` (bags), to (bags, embedding_dim)

    Attributes:
        weight: the table, (num_embeddings, embedding_dim), standard normal at first

    Example:
        >>> nn.EmbeddingBag(10, 3)(torch.tensor([[1, 2], [4, 5]])).shape
        torch.Size([2, 3])
    """

    weight: Parameter

    def __init__(
        self, num_embeddings: int, embedding_dim: int, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, _weight: Tensor | None = None,
        include_last_offset: bool = False, padding_idx: int | None = None, device: Device = None,
        dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.max_norm, self.norm_type, self.scale_grad_by_freq = max_norm, norm_type, scale_grad_by_freq
        self.mode, self.sparse, self.include_last_offset = mode, sparse, include_last_offset
        self._make(num_embeddings, embedding_dim, padding_idx, _weight, False, device, dtype)

    @classmethod
    def from_pretrained(
        cls, embeddings: Tensor, freeze: bool = True, max_norm: float | None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, mode: str = "mean", sparse: bool = False, include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Self:  # fmt: skip
        """An EmbeddingBag with a given table.

        Args:
            embeddings (Tensor): the table, (num_embeddings, embedding_dim)
            freeze (bool, default True): do not train it
            max_norm (float or None): rows that are looked up and longer than this are first shortened to it; None: no limit
            norm_type (float, default 2.0): order of the norm for `max_norm`
            scale_grad_by_freq (bool, default False): divide the gradient of a row by how often it was looked up
            mode (str, default "mean"): 'sum', 'mean' or 'max'
            sparse (bool, default False): make the gradient of the table sparse
            include_last_offset (bool, default False): the last entry of `offsets` is the end of the last bag
            padding_idx (int or None): rows of this index are left out of their bags

        Returns:
            the module

        Raises:
            AssertionError: the table has not 2 dimensions

        Example:
            >>> nn.EmbeddingBag.from_pretrained(torch.eye(3), mode="sum")(torch.tensor([[0, 2]]))
            tensor([[1., 0., 1.]])
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        bag = cls(
            *embeddings.shape, max_norm, norm_type, scale_grad_by_freq, mode, sparse, embeddings, include_last_offset, padding_idx
        )
        bag.weight.requires_grad = not freeze
        return bag

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        text += f", max_norm={self.max_norm}" if self.max_norm is not None else ""
        text += f", norm_type={self.norm_type}" if self.norm_type != 2 else ""
        text += f", scale_grad_by_freq={self.scale_grad_by_freq}" if self.scale_grad_by_freq else ""
        text += f", mode={self.mode!r}"
        return text + (f", padding_idx={self.padding_idx}" if self.padding_idx is not None else "")


__all__ = ["Embedding", "EmbeddingBag"]
_ = empty_parameter
