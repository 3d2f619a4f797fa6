"""What is known of a node's value as short text: "f32[2, 3]"."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import torch

_ABBREVIATIONS = {
    "float": "f", "int": "i", "uint": "u", "complex": "c", "bfloat": "bf", "qint": "qi", "quint": "qu",
}  # fmt: skip


def _abbreviation(dtype: torch.dtype) -> str:
    """`torch.float32` as f32, `torch.bool` as b8."""
    name = str(dtype).partition(".")[2]
    if name == "bool":
        return "b8"
    kind, bits, rest = re.fullmatch(r"([a-z]+)(\d*)(.*)", name).groups()  # type: ignore[union-attr]
    return _ABBREVIATIONS.get(kind, kind) + bits + rest


dtype_abbrs = {dtype: _abbreviation(dtype) for dtype in vars(torch).values() if isinstance(dtype, torch.dtype)}


def _numbers(values: Any) -> str:
    return f"[{', '.join(map(str, values))}]"


def type_of_value(value: Any, stride: bool = False, device: bool = False) -> str:
    """What to write behind the name of a node; the empty text if nothing is known."""
    if isinstance(value, torch.Tensor):
        core = dtype_abbrs[value.dtype] + _numbers(value.shape)
        core += _numbers(value.stride()) if stride and value.layout == torch.strided else ""
        return core + (str(value.device) if device else "")
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return f"{type(value).__name__}({value})"
    if hasattr(value, "dtype") and hasattr(value, "shape"):  # a TensorMetadata
        return dtype_abbrs[value.dtype] + _numbers(value.shape) + (_numbers(value.stride) if stride else "")
    return ""


class StackLine(NamedTuple):
    """The innermost line of a recorded stack."""

    file: str
    lineno: str
    name: str
    code: str

    def get_summary_str(self) -> str:
        """As a comment of generated code has it."""
        return f"File: {self.file}:{self.lineno} in {self.name}, code: {self.code}"


_FRAME = re.compile(r'^\s*File "(.+)", line (\d+), in (.+)$')


def _parse_stack_trace(stack_trace: str, filter_fn: Any = None) -> StackLine | None:
    """The innermost line of a stack as `traceback.format_list` writes it."""
    lines = stack_trace.strip().split("\n")
    for k in range(len(lines) - 2, -1, -1):
        found = _FRAME.match(lines[k])
        if found and (filter_fn is None or filter_fn(found[1], found[3], lines[k + 1].strip())):
            return StackLine(found[1], found[2], found[3], lines[k + 1].strip())
    return None
