"""Whether functions are compiled: never. The log says so when a program first asks for it."""

from __future__ import annotations

import logging

_log = logging.getLogger("torch.jit")
_mentioned = False


class _Enabled:
    """PyTorch's switch PYTORCH_JIT, which is always off here."""

    enabled = False

    def __bool__(self) -> bool:
        return False


_enabled = _Enabled()


def disable() -> None:
    """Stop compiling; nothing is compiled in any case."""


def enable() -> None:
    """Start to compile, which cannot be done."""
    raise NotImplementedError("torch.jit: this version has no compiler for TorchScript; functions run as Python")


def mention(name: str) -> None:
    """Write to the log, once, that functions come back as they are."""
    global _mentioned
    if not _mentioned:
        _mentioned = True
        _log.info("torch.jit.%s: nothing is compiled; functions and modules run as Python, as under PYTORCH_JIT=0", name)
