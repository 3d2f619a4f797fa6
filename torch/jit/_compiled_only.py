"""What only a compiled function or module can be used for. Such calls are refused; settings of the compiler are kept."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import Any

_settings: dict[str, Any] = {"onednn": False, "strategy": [("STATIC", 2), ("DYNAMIC", 10)]}


def _refuse(name: str, instead: str) -> NotImplementedError:
    return NotImplementedError(f"torch.jit.{name} needs the compiled form of a module, which this version cannot make; {instead}")


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Write a compiled module to a file, which this version cannot do.

    Args:
        m (ScriptModule): the module
        f (str or file): where

    Raises:
        NotImplementedError: always

    Example:
        >>> torch.jit.save(nn.Linear(1, 1), "model.pt")
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise _refuse("save", "use torch.save of its state_dict()")


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Read a compiled module from a file, which this version cannot do.

    Args:
        f (str or file): the file
        map_location (str or device, optional): where its tensors go

    Raises:
        ValueError: there is no such file
        NotImplementedError: there is

    Example:
        >>> torch.jit.load("no such file")
        Traceback (most recent call last):
        ValueError: ...
    """
    if isinstance(f, (str, os.PathLike)):
        if not os.path.exists(f):
            raise ValueError(f"torch.jit.load: there is no file {os.fspath(f)}")
        if os.path.isdir(f):
            raise ValueError(f"torch.jit.load: {os.fspath(f)} is a directory")
    raise _refuse("load", "save a state_dict() where the file came from, and load that with torch.load")


def freeze(mod: Any, preserved_attrs: Any = None, optimize_numerics: bool = True) -> Any:
    """Make the parameters of a compiled module constants of its code.

    Args:
        mod (ScriptModule): the module
        preserved_attrs (list of str, optional): what stays an attribute
        optimize_numerics (bool, default True): of no effect

    Raises:
        RuntimeError: `mod` is not compiled, as nothing is

    Example:
        >>> torch.jit.freeze(nn.Linear(1, 1).eval())
        Traceback (most recent call last):
        RuntimeError: ...
    """
    raise RuntimeError(f"torch.jit.freeze: expected a compiled module, got {type(mod).__name__}; this version compiles none")


def optimize_for_inference(mod: Any, other_methods: Any = None) -> Any:
    """Optimize a compiled module for inference.

    Args:
        mod (ScriptModule): the module
        other_methods (list of str, optional): methods beside forward

    Raises:
        RuntimeError: `mod` is not compiled, as nothing is

    Example:
        >>> torch.jit.optimize_for_inference(nn.Linear(1, 1).eval())
        Traceback (most recent call last):
        RuntimeError: ...
    """
    what = type(mod).__name__
    raise RuntimeError(f"torch.jit.optimize_for_inference: expected a compiled module, got {what}; this version compiles none")


def run_frozen_optimizations(mod: Any, optimize_numerics: bool = True, preserved_methods: Any = None) -> None:
    """Optimize a frozen module; refused like `freeze`."""
    freeze(mod)


def export_opnames(m: Any) -> list[str]:
    """The operators that a compiled module calls.

    Args:
        m (ScriptModule): the module

    Raises:
        NotImplementedError: always

    Example:
        >>> torch.jit.export_opnames(nn.Linear(1, 1))
        Traceback (most recent call last):
        NotImplementedError: ...
    """
    raise _refuse("export_opnames", "torch.profiler lists the operators that a call runs")


def enable_onednn_fusion(enabled: bool) -> None:
    """Set whether compiled graphs are fused by oneDNN; the setting has no effect.

    Args:
        enabled (bool): whether

    Example:
        >>> torch.jit.enable_onednn_fusion(False)
    """
    _settings["onednn"] = bool(enabled)


def onednn_fusion_enabled() -> bool:
    """What `enable_onednn_fusion` was given last.

    Returns:
        the setting, False at first

    Example:
        >>> torch.jit.onednn_fusion_enabled()
        False
    """
    return _settings["onednn"]


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Set how often graphs are specialized; the setting has no effect.

    Args:
        strategy (list of (str, int)): ("STATIC" or "DYNAMIC", how often) pairs

    Returns:
        the previous one

    Raises:
        RuntimeError: another word

    Example:
        >>> torch.jit.set_fusion_strategy([("STATIC", 2), ("DYNAMIC", 10)])
        [('STATIC', 2), ('DYNAMIC', 10)]
    """
    for kind, _ in strategy:
        if kind not in ("STATIC", "DYNAMIC"):
            raise RuntimeError(f"torch.jit.set_fusion_strategy: expected STATIC or DYNAMIC, got {kind!r}")
    before, _settings["strategy"] = _settings["strategy"], list(strategy)
    return before


class strict_fusion:
    """A block that a compiler must fuse into one; in Python it does nothing.

    Example:
        >>> with torch.jit.strict_fusion():
        ...     torch.zeros(1)
        tensor([0.])
    """

    def __enter__(self) -> None:
        pass

    def __exit__(self, *problem: object) -> None:
        pass


@contextlib.contextmanager
def fuser(name: str) -> Iterator[None]:
    """A block with another fuser ("fuser0" to "fuser3", "none"); it changes nothing."""
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3", "none"):
        raise Exception(f"torch.jit.fuser: unknown fuser {name!r}")
    yield


@contextlib.contextmanager
def optimized_execution(should_optimize: bool) -> Iterator[None]:
    """A block in which compiled graphs are optimized or not; it changes nothing."""
    yield


def last_executed_optimized_graph() -> None:
    """The graph that ran last: there is none."""
