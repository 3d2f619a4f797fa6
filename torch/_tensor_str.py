"""Tensors as text.

A tensor prints as nested brackets of equally wide numbers; large ones show only their edges. The numbers
share one format, chosen from all that are shown: whole, fixed point, or scientific where the range is wide.
"""

from __future__ import annotations

import math
import sys

import torch
from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class _Options:
    precision, threshold, edgeitems, linewidth, sci_mode = 4, 1000, 3, 80, None


PRINT_OPTS = _Options()
_PROFILES = {"default": (4, 1000, 3, 80), "short": (2, 1000, 2, 80), "full": (4, math.inf, 3, 80)}


def set_printoptions(
    precision: int | None = None,
    threshold: float | None = None,
    edgeitems: int | None = None,
    linewidth: int | None = None,
    profile: str | None = None,
    sci_mode: bool | None = None,
) -> None:
    """Set how tensors print.

    Args:
        precision (int, optional): digits after the point, 4 at the start
        threshold (float, optional): number of elements above which only the edges show, 1000 at the start
        edgeitems (int, optional): how many of them at either end of a dimension, 3 at the start
        linewidth (int, optional): columns, 80 at the start
        profile (str, optional): "default", "short" or "full": sets the four above at once
        sci_mode (bool, optional): force or forbid scientific notation; by default the values decide

    Example:
        >>> torch.set_printoptions(precision=2)
        >>> torch.tensor(3.14159)
        tensor(3.14)
        >>> torch.set_printoptions(profile="default")
    """
    if profile is not None:
        chosen = _PROFILES.get(profile, ())
        for name, value in zip(("precision", "threshold", "edgeitems", "linewidth"), chosen):
            setattr(PRINT_OPTS, name, value)
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    for name, value in given.items():
        if value is not None:
            setattr(PRINT_OPTS, name, value)
    PRINT_OPTS.sci_mode = sci_mode


def get_printoptions() -> dict[str, Any]:
    """How tensors print.

    Returns:
        the options by name

    Example:
        >>> torch._tensor_str.get_printoptions()["precision"]
        4
    """
    names = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")
    return {name: getattr(PRINT_OPTS, name) for name in names}


class printoptions:
    """Print options for the length of a `with` block.

    Args:
        **options (Any): those of `torch.set_printoptions`

    Example:
        >>> with torch._tensor_str.printoptions(precision=1):
        ...     print(torch.tensor(3.14159))
        tensor(3.1)
    """

    def __init__(self, **options: Any) -> None:
        self.options = options

    def __enter__(self):
        self.saved = get_printoptions()
        set_printoptions(**self.options)

    def __exit__(self, *problem):
        for name, value in self.saved.items():
            setattr(PRINT_OPTS, name, value)


class _Exact:
    """Integers and booleans: as they are, padded to the widest."""

    def __init__(self, values):
        self.width = max((len(str(value)) for value in values), default=1)

    def __call__(self, value):
        return str(value).rjust(self.width)


class _Float:
    """One format for all of `values`, decided by the largest and the smallest that is finite and not zero."""

    def __init__(self, values):
        digits = PRINT_OPTS.precision
        finite = [value for value in values if value != 0 and math.isfinite(value)]
        self.whole = all(value == math.ceil(value) for value in finite)
        self.scientific, self.width = False, 1
        if not finite:
            return
        self.scientific = bool(PRINT_OPTS.sci_mode)
        large, small = max(map(abs, finite)), min(map(abs, finite))
        if PRINT_OPTS.sci_mode is None:
            self.scientific = large / small > 1000.0 or large > 1.0e8 or (not self.whole and small < 1.0e-4)
        shape = f".{digits}e" if self.scientific else ".0f" if self.whole else f".{digits}f"
        point = 1 if self.whole and not self.scientific else 0
        self.width = max(len(format(value, shape)) for value in finite) + point

    def __call__(self, value):
        if self.scientific:
            text = f"{value:.{PRINT_OPTS.precision}e}"
        elif self.whole:
            text = f"{value:.0f}"
            if math.isfinite(value):
                text += "."
        else:
            text = f"{value:.{PRINT_OPTS.precision}f}"
        return text.rjust(self.width)


class _Complex:
    """Real and imaginary parts, each in a format of its own."""

    def __init__(self, values):
        self.real, self.imag = _Float([v.real for v in values]), _Float([v.imag for v in values])
        self.width = self.real.width + self.imag.width + 1

    def __call__(self, value):
        imag = self.imag(value.imag).lstrip()
        return self.real(value.real) + ("" if imag[0] in "+-" else "+") + imag + "j"


def _edges(tensor):
    """The part of a large tensor that is shown: the ends of every dimension."""
    keep = PRINT_OPTS.edgeitems
    for dim in range(tensor.dim()):
        length = tensor.size(dim)
        if length > 2 * keep:
            ends = [tensor.narrow(dim, 0, keep), tensor.narrow(dim, length - keep, keep)]
            tensor = torch.cat(ends, dim)
    return tensor


# Types that only store bytes, which print as those.
_BYTES = {f"torch.{sign}int{bits}" for sign in ("", "u") for bits in range(1, 8)}
_BYTES |= {f"torch.{name}" for name in ("bits1x8", "bits2x4", "bits4x2", "bits8", "float4_e2m1fn_x2")}


def _flat(nested, depth):
    for _ in range(depth):
        nested = [value for row in nested for value in row]
    return nested


def _nest(nested, sizes, indent, formatter, cut):
    """Brackets around `nested`, whose lists lack the middle wherever `sizes` says that there was more."""
    if not sizes:
        return formatter(nested)
    keep = PRINT_OPTS.edgeitems
    shortened = cut and sizes[0] > 2 * keep
    if len(sizes) == 1:
        words = [formatter(value) for value in nested]
        if shortened:
            words = words[:keep] + [" ..."] + words[keep:]
        a_line = max(1, int(math.floor((PRINT_OPTS.linewidth - indent) / (formatter.width + 2))))
        lines = [", ".join(words[k : k + a_line]) for k in range(0, len(words), a_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    rows = [_nest(row, sizes[1:], indent + 1, formatter, cut) for row in nested]
    if shortened:
        rows = rows[:keep] + ["..."] + rows[keep:]
    return "[" + ("," + "\n" * (len(sizes) - 1) + " " * (indent + 1)).join(rows) + "]"


def _values_text(tensor, indent):
    """The brackets of a tensor of at least one element, or of one without dimensions."""
    if tensor.numel() == 0:
        return "[]"
    if tensor.is_complex():
        tensor = tensor.resolve_conj()
    if tensor.is_neg():
        tensor = tensor.resolve_neg()
    name = str(tensor.dtype)
    if name in _BYTES or name == "torch.bits16":
        tensor = tensor.view(torch.uint8 if name in _BYTES else torch.uint16)
    cut = tensor.numel() > PRINT_OPTS.threshold
    if cut and PRINT_OPTS.edgeitems == 0 and tensor.dim():
        return "[...]"
    sizes = list(tensor.size())
    shown = (_edges(tensor) if cut else tensor).tolist()
    kind = _Complex if tensor.is_complex() else _Float if tensor.is_floating_point() else _Exact
    formatter = kind(_flat([shown], tensor.dim()))
    return _nest(shown, sizes, indent, formatter, cut)


def _with_suffixes(prefix, text, suffixes, indent, force_newline=False):
    """`prefix`, the text, then the suffixes after commas, on new lines where they do not fit."""
    whole = prefix + text
    column = len(whole) - whole.rfind("\n") + 1
    parts = [whole]
    for suffix in suffixes:
        if force_newline or column + len(suffix) + 2 > PRINT_OPTS.linewidth:
            parts.append(",\n" + " " * indent + suffix)
            column = indent + len(suffix)
            force_newline = False
        else:
            parts.append(", " + suffix)
            column += len(suffix) + 2
    return "".join(parts) + ")"


def _implied_dtype(tensor):
    """Whether the numbers alone show the dtype."""
    default = torch.get_default_dtype()
    complex_default = {torch.float64: torch.complex128, torch.float16: torch.complex32}.get(default, torch.complex64)
    return tensor.dtype in (default, complex_default, torch.int64, torch.bool)


def _graph_suffix(tensor):
    """The autograd suffix: the name of the tensor's function, or requires_grad."""
    try:
        node = tensor.grad_fn
    except RuntimeError:  # a view that was changed in a way that autograd cannot track
        return "grad_fn=<Invalid>"
    if node is not None:
        name = type(node).__name__
        if name == "CppFunction":
            name = node.name().rsplit("::", 1)[-1]
        return f"grad_fn=<{name}>"
    return "requires_grad=True" if tensor.requires_grad else None


def _tangent(tensor):
    """The tangent of a dual tensor. Forward mode is loaded where it is used."""
    forward_ad = sys.modules.get("torch.autograd.forward_ad")
    return None if forward_ad is None else forward_ad.unpack_dual(tensor).tangent


def _sparse_text(tensor, prefix, suffixes):
    indent = len(prefix)
    suffixes.append(f"size={tuple(tensor.shape)}")
    suffixes.append(f"nnz={tensor._nnz()}")
    coo = tensor.layout is torch.sparse_coo
    names = ("indices", "values") if coo else ("crow_indices", "col_indices", "values")
    if tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        names = ("ccol_indices", "row_indices", "values")
    if not _implied_dtype(tensor):
        suffixes.append(f"dtype={tensor.dtype}")
    suffixes.append(f"layout={tensor.layout}")
    texts = []
    for name in names:
        part = (tensor._indices() if name == "indices" else tensor._values()) if coo else getattr(tensor, name)()
        part = part.detach()
        label = f"{name}=tensor("
        text = _values_text(part, indent + len(label))
        if part.numel() == 0:
            text += ", size=" + str(tuple(part.shape))
        texts.append(label + text + ")")
    return (",\n" + " " * indent).join(texts)


def tensor_text(tensor: torch.Tensor, contents: str | None = None) -> str:
    """The repr of a tensor: values, and those of dtype, device, shape and graph that the values do not show."""
    if "torch._functorch.vmap" in sys.modules and _C._functorch._level_of(tensor):
        from torch._functorch.batched import text

        return text(tensor)
    if "torch._functionalize" in sys.modules or "torch._functorch.functionalize" in sys.modules:
        if _C._is_functional_tensor(tensor):
            return f"_to_functional_tensor({tensor_text(_C._from_functional_tensor(tensor), contents)})"
    if _C._len_torch_dispatch_stack():  # what it takes to print is no part of the program
        from torch.utils._python_dispatch import _disable_current_modes

        with _disable_current_modes():
            return tensor_text(tensor, contents)
    with torch.no_grad(), _C.DisableTorchFunctionSubclass():
        answers = type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
        if answers and tensor.untyped_storage().device.type == "meta":
            return _wrapper_text(tensor, contents or "...")
        return _tensor_text(tensor, contents)


def _wrapper_text(tensor, contents):
    """The repr of a tensor that has no memory, of a class that defines no other."""
    suffixes = [] if tensor.device.type == "cpu" else [f"device='{tensor.device}'"]
    if contents == "..." or tensor.numel() == 0:
        suffixes.append(f"size={tuple(tensor.shape)}")
    if tensor.dtype not in (torch.int64, torch.bool) and tensor.dtype != torch.get_default_dtype():
        suffixes.append(f"dtype={tensor.dtype}")
    graph = _graph_suffix(tensor)
    if graph is not None:
        suffixes.append(graph)
    prefix = f"{type(tensor).__name__}("
    return _with_suffixes(prefix, contents, suffixes, len(prefix), False)


def _tensor_text(tensor, contents):
    plain = type(tensor) is torch.Tensor or _is_parameter(tensor)
    prefix = "tensor(" if plain else f"{type(tensor).__name__}("
    suffixes = []
    data = tensor if tensor.is_inference() else tensor.detach()
    if tensor.device.type != "cpu":
        suffixes.append(f"device='{tensor.device}'")
    if tensor.layout is not torch.strided:
        text = _sparse_text(data, prefix, suffixes)
    elif tensor.is_meta or tensor.numel() == 0:
        if tensor.is_meta or tensor.dim() != 1:
            suffixes.append(f"size={tuple(tensor.shape)}")
        if tensor.dtype != torch.get_default_dtype():  # no number shows whether it is an integer or a float
            suffixes.append(f"dtype={tensor.dtype}")
        text = "..." if tensor.is_meta else "[]"
    else:
        if data.device.type != "cpu":
            data = data.cpu()
        if PRINT_OPTS.edgeitems == 0:  # the numbers no longer show the shape
            suffixes.append(f"size={tuple(tensor.shape)}")
        if not _implied_dtype(tensor):
            suffixes.append(f"dtype={tensor.dtype}")
        text = _values_text(data, len(prefix)) if contents is None else contents
    graph = _graph_suffix(tensor)
    if graph is not None:
        suffixes.append(graph)
    tangent = _tangent(tensor)
    if tangent is not None:
        suffixes.append(f"tangent={tensor_text(tangent)}")
    return _with_suffixes(prefix, text if contents is None else contents, suffixes, len(prefix), tensor.is_sparse)


def _is_parameter(tensor):
    return isinstance(tensor, torch.nn.Parameter)
