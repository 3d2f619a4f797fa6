"""torch.utils.dispatch_trace: which kernels a part of a program runs."""

from __future__ import annotations

from typing import NamedTuple

from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

_DETAILS = {"kernel": 1, "args": 2, "time": 4, "all": 7}


class DispatchRecord(NamedTuple):
    """One dispatch of the trace."""

    # "call", "redispatch", "callBoxed", "redispatchBoxed"; "way": the implementation that a kernel chose, in op and key;
    # "kernel": a kernel behind a stub, which op names; "launch": a kernel of a device, its grid and block in args
    kind: str
    op: str  # "aten::add.Tensor"
    key: str  # "CPU"
    depth: int  # 0 for what Python called
    kernel: str  # the C++ function, or "" where it is unknown
    file: str
    line: int
    args: str  # "float32[2, 3], 1"
    microseconds: float  # what is inside included; negative without the detail "time"

    def __str__(self):
        place = f" at {self.file}:{self.line}" if self.line else ""
        if self.kind == "way":
            return f"{' ' * self.depth}[way] {self.op}=[{self.key}]"
        if self.kind == "launch":
            return f"{' ' * self.depth}[launch] kernel=[{self.kernel}{place}], {self.args}"
        if self.kind == "kernel":
            return f"{' ' * self.depth}[kernel] {self.op}=[{self.kernel}{place}]"
        text = f"{' ' * self.depth}[{self.kind}] op=[{self.op}], key=[{self.key}]"
        if self.kernel:
            text += f", kernel=[{self.kernel}" + (f" at {self.file}:{self.line}]" if self.line else "]")
        if self.args:
            text += f", args=[{self.args}]"
        return text + (f", time=[{self.microseconds:.3g} us]" if self.microseconds >= 0 else "")


class dispatch_trace:
    """Records every dispatch inside a `with` block, of all threads, and prints it to standard error.

    The block's target is a list that holds DispatchRecords once the block has ended. Blocks do not nest.
    TORCH_SHOW_DISPATCH_TRACE=1 traces a whole program, TORCH_DISPATCH_TRACE_DETAILS=all with details.

    Args:
        details (str or Iterable[str], default "all"): which of "kernel" (C++ name, file and line), "args" (shapes, dtypes,
            numbers) and "time" a record has: one name, several with commas between, or "all"
        print (bool, default True): False keeps standard error quiet

    Raises:
        ValueError: unknown details

    Example:
        >>> x = torch.ones(2)
        >>> with torch.utils.dispatch_trace(print=False) as records:
        ...     y = x + x
        >>> records[0].op
        'aten::add.Tensor'
    """

    def __init__(self, details: Any = "all", print: bool = True) -> None:
        words = details.split(",") if isinstance(details, str) else list(details)
        unknown = [w for w in words if w and w not in _DETAILS]
        if unknown:
            raise ValueError(f"dispatch_trace: unknown details {unknown}; known are {', '.join(_DETAILS)}")
        self.details = sum({_DETAILS[w] for w in words if w}) & 7 if "all" not in words else 7
        self.print = bool(print)

    def __enter__(self) -> list[DispatchRecord]:
        self.records = []
        self.was_on = _C._dispatch_trace_enabled()
        self.before = _C._dispatch_trace_details(self.details)
        _C._dispatch_trace_print(self.print)
        _C._dispatch_trace_start()
        _C._set_dispatch_trace(True)
        return self.records

    def __exit__(self, *exc: object) -> None:
        _C._set_dispatch_trace(self.was_on)
        _C._dispatch_trace_print(True)
        _C._dispatch_trace_details(self.before)
        self.records.extend(DispatchRecord(*row) for row in _C._dispatch_trace_take())
