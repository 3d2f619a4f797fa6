"""Error messages for public names of PyTorch that this version does not have, with what to use instead.

This module and its table, `_absent_names`, are imported when such a name is used.
"""

from __future__ import annotations

import re
from opcode import opmap

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from types import FrameType, ModuleType

_IMPORT_FROM = opmap["IMPORT_FROM"]

# What to use instead, by full name; the first pattern that matches applies. {0} is its first group.
_HINTS = (
    (r"torch\.Tensor\.(?:to_dense|coalesce|is_coalesced)", "the tensor itself: all tensors are dense"),
    (r"torch\.(?:sparse|smm|spmm|hspmm|hsmm|dsmm|saddmm|sspaddmm|Tensor\.(?:to_)?sparse).*", "dense tensors"),
    (r"torch\.nested(?:\..*)?", "torch.nn.utils.rnn.pad_sequence, with a mask"),
    (r"torch\.(?:quantization|ao|qint|quint|quantize|quantized|fake_quant|nn\.(?:quantized|qat|quantizable|intrinsic)|backends\."
     r"quantized).*", "tensors of torch.bfloat16 or torch.float32"),
    (r"torch\.distributed(?:\..*)?", "torch.distributed's collectives and torch.nn.parallel.DistributedDataParallel"),
    (r"torch\.optim\.(?:Adafactor|Muon|SparseAdam|sparse_adam)", "torch.optim.AdamW"),
    (r"torch\.(?:export|onnx|_export)(?:\..*)?", "the module itself; torch.save of its state_dict() to keep it"),
    (r"torch\.(?:cuda|mps|xpu|mtia|backends|Event|Stream|cudnn_|miopen_|accelerator)(?:[._].*)?", "the CPU, or torch.cuda's "
     "tensors, streams and graphs where torch.cuda.is_available() is True"),
)  # fmt: skip


def _table() -> tuple[str, dict[str, str]]:
    from torch._absent_methods import NAMES
    from torch._absent_names import MODULES, TABLE

    return MODULES, {**TABLE, "torch.Tensor": NAMES}


def is_absent(place: str, name: str) -> bool:
    """Whether PyTorch has `name` in `place`, a module or "torch.Tensor", and this version does not."""
    modules, table = _table()
    return name in table.get(place, "").split() or f"{place}.{name}" in modules.split()


def text(full: str) -> str:
    """The message for a full name from the table."""
    hint = ""
    for pattern, meanwhile in _HINTS:
        found = re.fullmatch(pattern, full)
        if found:
            hint = "; meanwhile use " + meanwhile.format(*found.groups())
            break
    return f"{full} is part of PyTorch; this version of torch does not have it yet{hint}"


def attribute_error(place: str, name: str, owner: object = None) -> AttributeError:
    """For an attribute of `owner`, which is the module or type `place`, or a tensor."""
    if is_absent(place, name):
        return AttributeError(text(f"{place}.{name}"))  # without name=, because Python would then suggest a different name
    what = f"module '{place}'" if place != "torch.Tensor" else f"'{getattr(owner, '__name__', type(owner).__name__)}' object"
    return AttributeError(f"{what} has no attribute '{name}'", name=name, obj=owner)


def attribute_of_module(module: ModuleType, name: str, frame: FrameType) -> AttributeError | ImportError:
    """Raise the same error for the `__getattr__` that `frame` called.

    `from torch import name` swallows an AttributeError and raises an ImportError with a text of its own, so there it is an
    ImportError at once.
    """
    error = attribute_error(module.__name__, name, module)
    code = frame.f_code.co_code
    if not error.name and 0 <= frame.f_lasti < len(code) and code[frame.f_lasti] == _IMPORT_FROM:
        return ImportError(str(error), name=module.__name__, path=getattr(module, "__file__", None))
    return error


def module_error(full: str) -> ModuleNotFoundError | None:
    """For `import full`; None if PyTorch has no such module."""
    modules, _ = _table()
    return ModuleNotFoundError(text(full), name=full) if full in modules.split() else None


def absent_named(name: str) -> list[str]:
    """The full names in the table that equal `name` or end in it, shortest first."""
    modules, table = _table()
    name = name.replace("::", ".").removeprefix("aten.")
    found = {full for full in modules.split() if full == name or full.endswith("." + name)}
    for place, names in table.items():
        listed = names.split()
        found |= {f"{place}.{n}" for n in listed if f"{place}.{n}" == name or f"{place}.{n}".endswith("." + name)}
    return sorted(found, key=lambda full: (full.startswith("torch.ops."), len(full), full))
