"""The logging machinery under the names that programs use. Importing this module applies the environment's settings."""

import contextlib
import functools
import warnings

from torch._logging._format import TorchLogsFormatter, make_module_path_relative  # noqa: F401
from torch._logging._registry import (  # noqa: F401
    DEFAULT_LOG_LEVEL,
    LogRegistry,
    LogState,
    log_registry,
    log_state,
    register_artifact,
    register_log,
)
from torch._logging._settings import (  # noqa: F401
    DEFAULT_LOGGING,
    LOG_ENV_VAR,
    LOG_FORMAT_ENV_VAR,
    LOG_OUT_ENV_VAR,
    _get_log_state,
    _init_logs,
    _invalid_settings_err_msg,
    _parse_log_settings,
    _set_log_state,
    configure_artifact_log,
    getArtifactLogger,
    help_message,
    set_logs,
)
from torch._logging._trace import (  # noqa: F401
    DTRACE_ENV_VAR,
    LOG_PREFIX,
    TRACE_ENV_VAR,
    LazyTraceHandler,
    dtrace_structured,
    trace_log,
    trace_structured,
    trace_structured_artifact,
)


class LazyString:
    """A text for a log line that is computed only if the line is written."""

    def __init__(self, func, *args, **kwargs):
        self.func, self.args, self.kwargs = func, args, kwargs

    def __str__(self):
        return self.func(*self.args, **self.kwargs)


@functools.cache
def warning_once(logger_obj, *args, **kwargs):
    """logger_obj.warning(*args, **kwargs), for the first call with these arguments only."""
    logger_obj.warning(*args, **{"stacklevel": 2, **kwargs})


@contextlib.contextmanager
def hide_warnings(filter_fn=lambda *args, **kwargs: True):
    """Inside, a Python warning is shown only if filter_fn(message, category, filename, lineno, file, line) is true."""
    before = warnings.showwarning

    def show(*args, **kwargs):
        if filter_fn(*args, **kwargs):
            before(*args, **kwargs)

    warnings.showwarning = show
    try:
        yield
    finally:
        warnings.showwarning = before


def get_structured_logging_overhead():
    """Seconds that the compilation under way has spent on traces; None, since nothing is compiled here."""
    return None


_init_logs()
