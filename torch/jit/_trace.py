"""torch.jit.trace as it is with PYTORCH_JIT=0: nothing is recorded."""

from __future__ import annotations

from typing import Any, TypeVar

from torch.jit._script import ScriptModule
from torch.jit._state import mention

F = TypeVar("F")


class TracerWarning(Warning):
    """What a trace cannot record."""

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Hide those that the library causes itself; it causes none."""


class TracingCheckError(Exception):
    """A trace that does not repeat what was traced."""


class TracedModule(ScriptModule):
    """A traced module."""


class TopLevelTracedModule(TracedModule):
    """A traced module that is part of no other."""


def trace(
    func: F, example_inputs: Any = None, optimize: Any = None, check_trace: bool = True, check_inputs: Any = None,
    check_tolerance: float = 1e-5, strict: bool = True, _force_outplace: bool = False, _module_class: Any = None,
    _compilation_unit: Any = None, example_kwarg_inputs: Any = None, _store_inputs: bool = True,
) -> F:  # fmt: skip
    """Return a function or module as it is: nothing is recorded, it runs as Python.

    Args:
        func (function or Module): what would be traced
        example_inputs (tuple or Tensor, optional): of no effect
        optimize (Any): of no effect
        check_trace (bool, default True): of no effect
        check_inputs (list, optional): of no effect
        check_tolerance (float, default 1e-5): of no effect
        strict (bool, default True): of no effect
        example_kwarg_inputs (dict, optional): of no effect

    Returns:
        `func`

    Example:
        >>> torch.jit.trace(nn.Identity(), torch.zeros(1))
        Identity()
    """
    mention("trace")
    return func


def trace_module(
    mod: F, inputs: Any, optimize: Any = None, check_trace: bool = True, check_inputs: Any = None,
    check_tolerance: float = 1e-5, strict: bool = True, _force_outplace: bool = False, _module_class: Any = None,
    _compilation_unit: Any = None, example_inputs_is_kwarg: bool = False, _store_inputs: bool = True,
) -> F:  # fmt: skip
    """Return a module as it is: nothing is recorded, it runs as Python.

    Args:
        mod (Module): what would be traced
        inputs (dict): of no effect
        optimize (Any): of no effect
        check_trace (bool, default True): of no effect
        check_inputs (list, optional): of no effect
        check_tolerance (float, default 1e-5): of no effect
        strict (bool, default True): of no effect
        example_inputs_is_kwarg (bool, default False): of no effect

    Returns:
        `mod`

    Example:
        >>> torch.jit.trace_module(nn.Identity(), {"forward": torch.zeros(1)})
        Identity()
    """
    mention("trace_module")
    return mod


def _get_trace_graph(f: Any, args: Any = (), kwargs: Any = None, *more: Any, **options: Any) -> Any:
    raise NotImplementedError("torch.jit: this version records no graphs")
