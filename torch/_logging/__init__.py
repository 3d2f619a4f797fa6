"""Logs and traces of what the library does: TORCH_LOGS, TORCH_TRACE, set_logs, getArtifactLogger.

Nothing is imported here before a name is used, so programs without logs pay nothing.
"""

import sys as _sys

_SUBMODULES = frozenset("_internal _native _registrations _registry _settings _switches _trace structured".split())
_PUBLIC = (
    "DEFAULT_LOGGING LazyString dtrace_structured getArtifactLogger get_structured_logging_overhead hide_warnings "
    "set_logs trace_structured warning_once _init_logs".split()
)


def __getattr__(name):
    if name in _SUBMODULES:
        __import__("torch._logging." + name)
        return _sys.modules["torch._logging." + name]
    if name in _PUBLIC:
        from torch._logging import _internal

        globals().update({public: getattr(_internal, public) for public in _PUBLIC})
        return globals()[name]
    raise AttributeError(f"module 'torch._logging' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *_SUBMODULES, *_PUBLIC})
