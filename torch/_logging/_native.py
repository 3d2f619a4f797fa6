"""Passes the switches to C++, and to Python code that uses _switches."""

import logging

from torch import _C
from torch._logging import _switches
from torch._logging._format import custom_format

# c10::LogArtifact
_AUTOGRAD, _AUTOGRAD_NODES = 1, 2
_NATIVE = {"allocator": 4, "registration": 8, "onednn": 16}

_dispatch_is_ours = False
_build_was_on = False


def _artifact_logger(name):
    return logging.getLogger("torch.__" + name)


def apply(is_on, file):
    """Switch artifacts on or off as is_on(artifact) says; `file` is a descriptor for lines in addition to stderr, or -1."""
    bits = sum(bit for name, bit in _NATIVE.items() if is_on(name))
    autograd = logging.getLogger("torch.autograd")
    if autograd.isEnabledFor(logging.INFO):
        bits |= _AUTOGRAD
    if autograd.isEnabledFor(logging.DEBUG):
        bits |= _AUTOGRAD_NODES
    _C._log_configure(bits, custom_format(), file)
    _switch_dispatch(is_on("dispatch"))
    for name in ("dataloader", "serialization"):
        setattr(_switches, name, _artifact_logger(name).debug if is_on(name) else None)
    _tell_build(is_on("build"))


def _switch_dispatch(on):
    global _dispatch_is_ours
    if on and not _C._dispatch_trace_enabled():
        _C._set_dispatch_trace(True)
        _dispatch_is_ours = True
    elif not on and _dispatch_is_ours:
        _C._set_dispatch_trace(False)
        _dispatch_is_ours = False


def _tell_build(on):
    global _build_was_on
    if on and not _build_was_on:
        _artifact_logger("build").info("%s", _C._show_config().rstrip("\n"))
    _build_was_on = on
