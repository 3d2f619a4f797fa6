"""Formats log records as text."""

import functools
import json
import logging
import os
import sys
import time
import traceback

from torch._environment import warn_of

INITIALS = {"DEBUG": "V", "INFO": "I", "WARNING": "W", "ERROR": "E", "CRITICAL": "C"}


@functools.cache
def make_module_path_relative(path):
    """The path relative to the entry of sys.path that contains it, or unchanged."""
    absolute = os.path.abspath(path)
    best = ""
    for folder in sys.path:
        folder = os.path.join(os.path.abspath(folder or os.getcwd()), "")
        if absolute.startswith(folder) and len(folder) > len(best):
            best = folder
    return absolute[len(best) :] if best else path


def prefix_of(record):
    """The start of each line: I1121 14:00:00.000000 1234 torch/x.py:12]"""
    micro = int(record.created * 1e6) % 1000000
    stamp = time.strftime("%m%d %H:%M:%S", time.localtime(record.created))
    initial = INITIALS.get(record.levelname, record.levelname)
    path = make_module_path_relative(record.pathname)
    return f"{initial}{stamp}.{micro:06d} {record.process} {path}:{record.lineno}]"


class TorchLogsFormatter(logging.Formatter):
    """Prefixed lines; with trace=True the records of a trace file: one line of JSON and an indented payload."""

    def __init__(self, *, trace=False):
        super().__init__()
        self._is_trace = trace

    def format(self, record):
        prefix = prefix_of(record)
        if self._is_trace:
            text = f"{prefix} {json.dumps(record.metadata)}"
            if record.payload is not None:
                text += "".join(f"\n\t{line}" for line in record.payload.split("\n"))
            return text
        artifact = record.name.rsplit(".", 1)[-1]
        prefix += f" [{artifact}]" if artifact.startswith("__") else ""
        message = record.getMessage()
        if record.exc_info:
            message += "\n" + "".join(traceback.format_exception(*record.exc_info)).rstrip("\n")
        if record.stack_info:
            message += "\n" + self.formatStack(record.stack_info)
        return "\n".join(f"{prefix} {line}" for line in message.split("\n"))


def custom_format():
    """The format that TORCH_LOGS_FORMAT sets; "" means the default."""
    return _checked_format(os.environ.get("TORCH_LOGS_FORMAT", ""))


@functools.cache
def _checked_format(text):
    text = logging.BASIC_FORMAT if text in ("short", "basic") else text
    if text:
        try:
            logging.Formatter(text).format(logging.makeLogRecord({"msg": "", "artifact": ""}))
        except (ValueError, KeyError, TypeError):
            warn_of("TORCH_LOGS_FORMAT", '"short", "basic" or a format of Python\'s logging, as in "%(levelname)s %(message)s"')
            return ""
    return text


def make_formatter():
    """The formatter of log lines."""
    text = custom_format()
    return logging.Formatter(text) if text else TorchLogsFormatter()
