"""Attention whose scores and masks are Python functions of the batch, the head, the query and the key, run eagerly."""

from __future__ import annotations

import math
from typing import NamedTuple, TypedDict

import torch
from torch.nn.attention._block_mask import (
    _DEFAULT_SPARSE_BLOCK_SIZE,
    BlockMask,
    _block_sizes,
    _dense_to_ordered,
    _get_mod_type,
    _ModificationType,
    _ordered_to_dense,
    noop_mask,
)

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor
    from torch.nn.attention._block_mask import MaskMod

    ScoreMod = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]

__all__ = [
    "BlockMask", "flex_attention", "AuxOutput", "AuxRequest", "FlexKernelOptions", "create_block_mask", "create_mask", "or_masks",
    "and_masks", "noop_mask",
]  # fmt: skip

BlockMask.__module__ = noop_mask.__module__ = __name__  # where programs and pickles look for them

_BACKENDS = ("AUTO", "TRITON", "FLASH", "TRITON_DECODE")


class FlexKernelOptions(TypedDict, total=False):
    """Settings of kernels for GPUs. They are checked, and of no effect on a CPU.

    Args:
        BACKEND (str): 'AUTO', 'TRITON', 'FLASH' or 'TRITON_DECODE'
        BLOCK_M, BLOCK_N, ... (int): sizes of tiles

    Example:
        >>> from torch.nn.attention.flex_attention import FlexKernelOptions
        >>> FlexKernelOptions(BACKEND="AUTO")
        {'BACKEND': 'AUTO'}
    """

    num_warps: int
    num_stages: int
    BLOCK_M: int
    BLOCK_N: int
    BLOCK_M1: int
    BLOCK_N1: int
    BLOCK_M2: int
    BLOCK_N2: int
    PRESCALE_QK: bool
    ROWS_GUARANTEED_SAFE: bool
    BLOCKS_ARE_CONTIGUOUS: bool
    WRITE_DQ: bool
    FORCE_USE_FLEX_ATTENTION: bool
    USE_TMA: bool
    kpack: int
    matrix_instr_nonkdim: int
    waves_per_eu: int
    BACKEND: str


class AuxRequest(NamedTuple):
    """What `flex_attention` returns beside its result.

    Args:
        lse (bool, default False): the logarithm of the sum of the exponentials of each query's scores
        max_scores (bool, default False): each query's largest score

    Example:
        >>> from torch.nn.attention.flex_attention import AuxRequest
        >>> AuxRequest(lse=True)
        AuxRequest(lse=True, max_scores=False)
    """

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """What `flex_attention` has returned beside its result; None where it was not asked for.

    Args:
        lse (Tensor or None): the logarithm of the sum of the exponentials of each query's scores
        max_scores (Tensor or None): each query's largest score

    Example:
        >>> from torch.nn.attention.flex_attention import AuxOutput
        >>> AuxOutput()
        AuxOutput(lse=None, max_scores=None)
    """

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def _combined(name: str, masks: tuple[Any, ...], start: bool, join: Callable[[Tensor, Tensor], Tensor]) -> MaskMod:
    if not all(callable(mask) for mask in masks):
        raise RuntimeError(f"{name}s: expected functions of batch, head, query and key, but got {masks}")

    def combined(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_full((), start, dtype=torch.bool)
        for mask in masks:
            result = join(result, mask(b, h, q_idx, kv_idx))
        return result

    combined.__name__ = name
    return combined


def or_masks(*mask_mods: MaskMod) -> MaskMod:
    """The mask by which a query sees a key that it sees by one of several masks.

    Args:
        *mask_mods (Callable): functions of batch, head, query and key

    Returns:
        a function of the same form

    Raises:
        RuntimeError: one of them is no function

    Example:
        >>> from torch.nn.attention.flex_attention import create_mask, or_masks
        >>> mask = or_masks(lambda b, h, q, kv: q == kv, lambda b, h, q, kv: kv == 0)
        >>> create_mask(mask, None, None, 2, 3, device="cpu")
        tensor([[[[ True, False, False],
                  [ True,  True, False]]]])
    """
    return _combined("or_mask", mask_mods, False, lambda a, b: a | b)


def and_masks(*mask_mods: MaskMod) -> MaskMod:
    """The mask by which a query sees a key that it sees by all of several masks.

    Args:
        *mask_mods (Callable): functions of batch, head, query and key

    Returns:
        a function of the same form

    Raises:
        RuntimeError: one of them is no function

    Example:
        >>> from torch.nn.attention.flex_attention import and_masks, create_mask
        >>> mask = and_masks(lambda b, h, q, kv: q >= kv, lambda b, h, q, kv: q - kv < 2)
        >>> create_mask(mask, None, None, 3, 3, device="cpu")
        tensor([[[[ True, False, False],
                  [ True,  True, False],
                  [False,  True,  True]]]])
    """
    return _combined("and_mask", mask_mods, True, lambda a, b: a & b)


def _indices(sizes: tuple[int, int, int, int], device: Any) -> list[Tensor]:
    """Numbers of batches, heads, queries and keys, in shapes that broadcast to the scores."""
    found = []
    for dim, size in enumerate(sizes):
        shape = [1, 1, 1, 1]
        shape[dim] = size
        found.append(torch.arange(size, device=device).view(shape))
    return found


def _expanded(what: str, result: Any, sizes: tuple[int, int, int, int]) -> Tensor:
    if not isinstance(result, torch.Tensor):
        raise TypeError(f"{what} must return a tensor, but returned {type(result).__name__}")
    try:
        return result.expand(sizes)
    except RuntimeError:
        raise RuntimeError(
            f"{what} must return one value for each batch, head, query and key, that is a shape that broadcasts to {sizes}, "
            f"but returned the shape {tuple(result.shape)}"
        ) from None


def create_mask(
    mod_fn: ScoreMod | MaskMod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:  # fmt: skip
    """The mask that a function describes, as a tensor.

    The function is called once, with tensors of indices that broadcast to the whole mask.

    Args:
        mod_fn (Callable): whether a query sees a key, from batch, head, query and key; or a new score, from the score and these,
            where -inf hides a key
        B (int or None): batches; None: one for all
        H (int or None): heads; None: one for all
        Q_LEN (int): queries
        KV_LEN (int): keys
        device (torch.device or None): where the mask is made

    Returns:
        bool (B, H, Q_LEN, KV_LEN): True where a query sees a key

    Raises:
        AssertionError: the function has not 4 or 5 arguments

    Example:
        >>> from torch.nn.attention.flex_attention import create_mask
        >>> create_mask(lambda b, h, q, kv: q >= kv, None, None, 2, 2, device="cpu")
        tensor([[[[ True, False],
                  [ True,  True]]]])
    """
    sizes = (1 if B is None else B, 1 if H is None else H, Q_LEN, KV_LEN)
    indices = _indices(sizes, device)
    if _get_mod_type(mod_fn) is _ModificationType.SCORE_MOD:
        scores = torch.zeros(sizes, device=device)
        return ~torch.isneginf(_expanded("score_mod", mod_fn(scores, *indices), sizes))  # type: ignore[call-arg]
    return _expanded("mask_mod", mod_fn(*indices), sizes).to(torch.bool)  # type: ignore[call-arg]


def create_block_mask(
    mask_mod: MaskMod, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE, _compile: bool = False, separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False, dq_kv_order: bool = True,
) -> BlockMask:  # fmt: skip
    """The BlockMask that a function describes.

    Args:
        mask_mod (Callable): whether a query sees a key, from batch, head, query and key
        B (int or None): batches; None: one for all
        H (int or None): heads; None: one for all
        Q_LEN (int): queries
        KV_LEN (int): keys
        device (torch.device or None): where the mask is made
        BLOCK_SIZE (int or tuple[int, int], default 128): queries and keys in a block
        separate_full_blocks (bool, default True): keep blocks that are seen wholly apart: they need no function
        compute_dq_write_order (bool, default False): kept for kernels of a GPU
        dq_kv_order (bool, default True): kept for kernels of a GPU

    Returns:
        the mask

    Raises:
        AssertionError: the function has not 4 arguments

    Example:
        >>> from torch.nn.attention.flex_attention import create_block_mask
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 256, 256)
        >>> mask.kv_num_blocks, mask.full_kv_num_blocks
        (tensor([[[1, 1]]], dtype=torch.int32), tensor([[[0, 1]]], dtype=torch.int32))
    """
    if _get_mod_type(mask_mod) is not _ModificationType.MASK_MOD:
        raise AssertionError("create_block_mask: expected a function of batch, head, query and key, but it has 5 arguments")
    q_size, kv_size = _block_sizes(BLOCK_SIZE)
    rows, columns = -(-Q_LEN // q_size), -(-KV_LEN // kv_size)
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    padded = torch.nn.functional.pad(mask, (0, columns * kv_size - KV_LEN, 0, rows * q_size - Q_LEN))
    counts = padded.view(*mask.shape[:2], rows, q_size, columns, kv_size).sum(dim=(3, 5))
    is_full = counts == q_size * kv_size if separate_full_blocks else torch.zeros_like(counts, dtype=torch.bool)
    partial = _dense_to_ordered((counts > 0) & ~is_full)
    full: Any = _dense_to_ordered(is_full) if separate_full_blocks else (None, None)
    return BlockMask.from_kv_blocks(
        *partial, *full, BLOCK_SIZE=(q_size, kv_size), mask_mod=mask_mod, seq_lengths=(Q_LEN, KV_LEN)
    )  # fmt: skip


def _seen(block_mask: BlockMask, sizes: tuple[int, int, int, int], device: Any) -> Tensor | None:
    """Where a query sees a key, or None where all see all. The function is asked within partly seen blocks only."""
    q_size, kv_size = block_mask.BLOCK_SIZE

    def spread(counts: Tensor, indices: Tensor) -> Tensor:
        dense = _ordered_to_dense(counts, indices).to(torch.bool)
        dense = dense.repeat_interleave(min(q_size, sizes[2]), -2) if q_size < sizes[2] else dense[..., :1, :].expand(
            *dense.shape[:-2], sizes[2], dense.size(-1))  # fmt: skip
        dense = dense.repeat_interleave(kv_size, -1) if kv_size < sizes[3] else dense[..., :1].expand(*dense.shape[:-1], sizes[3])
        return dense[..., : sizes[2], : sizes[3]]

    seen = spread(block_mask.kv_num_blocks, block_mask.kv_indices)
    if block_mask.mask_mod is not noop_mask:
        asked = block_mask.mask_mod(*_indices(sizes, device))
        seen = seen & _expanded("mask_mod", asked, sizes).to(torch.bool)
    elif bool(seen.all()):
        return None
    if block_mask.full_kv_num_blocks is not None and block_mask.full_kv_indices is not None:
        seen = seen | spread(block_mask.full_kv_num_blocks, block_mask.full_kv_indices)
    return seen


def _check(query: Tensor, key: Tensor, value: Tensor, block_mask: Any, enable_gqa: bool) -> None:
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"flex_attention: {name} must be a tensor, but got {type(tensor).__name__}")
    if not query.dim() == key.dim() == value.dim() == 4:
        raise NotImplementedError(
            "flex_attention: query, key and value must have 4 dimensions (batch, head, position, width), but have "
            f"{query.dim()}, {key.dim()} and {value.dim()}"
        )
    if key.shape[:3] != value.shape[:3]:
        raise RuntimeError(
            f"flex_attention: key and value must agree in batches, heads and positions, but have the shapes {tuple(key.shape)} "
            f"and {tuple(value.shape)}"
        )
    if query.size(-1) != key.size(-1):
        raise ValueError(f"flex_attention: query and key must have the same width, but have {query.size(-1)} and {key.size(-1)}")
    heads, shared = query.size(1), key.size(1)
    if not enable_gqa and heads != shared:
        raise ValueError(
            f"flex_attention: query and key must have the same number of heads, but have {heads} and {shared}; with "
            "enable_gqa=True several heads of queries share one of keys"
        )
    if enable_gqa and (shared == 0 or heads % shared):
        raise ValueError(f"flex_attention: the heads of query, {heads}, must be a multiple of those of key, {shared}")
    if block_mask is not None and not isinstance(block_mask, BlockMask):
        raise TypeError(f"flex_attention: block_mask must be a BlockMask, but got {type(block_mask).__name__}")
    batches = query.size(0), key.size(0)
    has_mask_per_batch = block_mask is not None and block_mask.kv_num_blocks.size(0) == batches[0]
    if batches[0] != batches[1] and not (batches[1] == 1 and has_mask_per_batch):
        raise ValueError(
            f"flex_attention: query and key must have the same number of batches, but have {batches[0]} and {batches[1]}; one "
            "batch of keys is enough where the block_mask has as many batches as the query"
        )
    if block_mask is None:
        return
    lengths = query.size(2), key.size(2)
    if tuple(block_mask.seq_lengths) != lengths:
        raise ValueError(
            f"flex_attention: the block_mask is for {block_mask.seq_lengths[0]} queries and {block_mask.seq_lengths[1]} keys, "
            f"but there are {lengths[0]} and {lengths[1]}; create one for these lengths"
        )
    for name, size, expected in zip(("batches", "heads"), block_mask.kv_num_blocks.shape, query.shape):
        if size not in (1, expected):
            raise ValueError(f"flex_attention: the block_mask is for {size} {name}, but there are {expected}")


def flex_attention(
    query: Tensor, key: Tensor, value: Tensor, score_mod: ScoreMod | None = None, block_mask: BlockMask | None = None,
    scale: float | None = None, enable_gqa: bool = False, return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None, *, return_aux: AuxRequest | None = None,
) -> Tensor | tuple[Tensor, Tensor] | tuple[Tensor, AuxOutput]:  # fmt: skip
    """Attention with a function that changes the scores, and a mask in blocks.

    `score_mod(score, batch, head, query, key)` is called once, with all scores and with tensors of indices that broadcast to
    them, and returns the new scores. It may read other tensors at these indices; gradients reach them.

    Args:
        query (Tensor): (B, Hq, L, E)
        key (Tensor): (B, H, S, E), or with one batch where there is a `block_mask`
        value (Tensor): (B, H, S, Ev)
        score_mod (Callable or None): the new score, from the score, the batch, the head, the query and the key
        block_mask (BlockMask or None): which keys are seen, see `create_block_mask`
        scale (float or None): factor of the scores; None: 1 / sqrt(E)
        enable_gqa (bool, default False): several heads of queries share one of keys
        return_lse (bool, default False): also return the logarithm of the sum of the exponentials of each query's scores
        kernel_options (FlexKernelOptions or None): settings of kernels for GPUs; of no effect on a CPU
        return_aux (AuxRequest or None): what else to return

    Returns:
        (B, Hq, L, Ev); with `return_lse`, (that, (B, Hq, L)); with `return_aux`, (that, AuxOutput). A query that sees no key
        gets zeros, and -inf as its logarithm.

    Raises:
        ValueError: heads, widths, batches or the lengths of the mask do not fit, or both ways to return more are used
        NotImplementedError: the tensors have not 4 dimensions

    Example:
        >>> from torch.nn.attention.flex_attention import create_block_mask, flex_attention
        >>> q, k, v = torch.randn(3, 1, 2, 16, 8)
        >>> mask = create_block_mask(lambda b, h, q, kv: q >= kv, None, None, 16, 16)
        >>> out = flex_attention(q, k, v, lambda score, b, h, q, kv: score - 0.1 * (q - kv), mask)
        >>> out.shape, bool(torch.allclose(out[:, :, 0], v[:, :, 0]))
        (torch.Size([1, 2, 16, 8]), True)
    """
    _check(query, key, value, block_mask, enable_gqa)
    backend = (kernel_options or {}).get("BACKEND", "AUTO")
    if backend not in _BACKENDS:
        raise ValueError(f"flex_attention: BACKEND is one of {', '.join(_BACKENDS)}, but got {backend!r}")
    if return_lse and return_aux is not None:
        raise ValueError("flex_attention takes return_lse or return_aux, but got both; use return_aux=AuxRequest(lse=True)")
    request = AuxRequest(lse=return_lse) if return_aux is None else return_aux
    if query.size(0) != key.size(0):
        key, value = (x.expand(query.size(0), *x.shape[1:]) for x in (key, value))
    sizes = (query.size(0), query.size(1), query.size(2), key.size(2))
    seen = None if block_mask is None else _seen(block_mask, sizes, query.device)
    if score_mod is None and not any(request):
        out = torch.nn.functional.scaled_dot_product_attention(query, key, value, seen, scale=scale, enable_gqa=enable_gqa)
        return out if return_aux is None else (out, AuxOutput())
    if enable_gqa:
        key, value = (x.repeat_interleave(query.size(1) // x.size(1), 1) for x in (key, value))
    scores = _scores(query, key, scale, score_mod, seen, sizes)
    out, aux = _attend(scores, value, request, query.dtype)
    if return_lse:
        assert aux.lse is not None
        return out, aux.lse
    return out if return_aux is None else (out, aux)


def _scores(query: Tensor, key: Tensor, scale: Any, score_mod: Any, seen: Tensor | None, sizes: Any) -> Tensor:
    working = torch.float64 if query.dtype == torch.float64 else torch.float32
    factor = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    scores = (query @ key.transpose(-2, -1)).to(working).mul_(factor)
    if score_mod is not None:
        changed = score_mod(scores, *_indices(sizes, query.device))
        scores = _expanded("score_mod", changed, sizes).to(working)
    return scores if seen is None else torch.where(seen, scores, -torch.inf)


def _attend(scores: Tensor, value: Tensor, request: AuxRequest, dtype: torch.dtype) -> tuple[Tensor, AuxOutput]:
    """The weighted values; queries that see no key give zeros, without NaN in the gradient."""
    if scores.size(-1) == 0:
        lse = scores.new_full(scores.shape[:-1], -torch.inf)
        out = value.new_zeros(*scores.shape[:-1], value.size(-1))
        return out, AuxOutput(lse if request.lse else None, lse if request.max_scores else None)
    out = torch._safe_softmax(scores, -1).to(dtype) @ value
    largest = scores.amax(dim=-1) if request.max_scores else None
    return out, AuxOutput(torch.logsumexp(scores, dim=-1) if request.lse else None, largest)
