"""Structured tracing: TORCH_TRACE=DIR keeps a file of records that tlparse reads."""

import hashlib
import json
import logging
import os
import tempfile

from torch import _C, _environment
from torch._logging import structured
from torch._logging._format import TorchLogsFormatter

TRACE_ENV_VAR = "TORCH_TRACE"
DTRACE_ENV_VAR = "TORCH_DTRACE"
LOG_PREFIX = "dedicated_log_torch_trace_"

trace_log = logging.getLogger("torch.__trace")
trace_log.setLevel(logging.DEBUG)
trace_log.propagate = False
# While tracing is off, a record only tests this and whether trace_log has handlers.
_wants_dtrace = False


def _rank():
    """The rank of this process, if there are several."""
    rank, processes = _environment.number("RANK", None), _environment.number("WORLD_SIZE", 1)
    return rank if processes > 1 else None


class LazyTraceHandler(logging.Handler):
    """Writes records to a file in a folder. Both are created for the first record; each record is one write."""

    def __init__(self, root_dir):
        super().__init__(logging.DEBUG)
        self.root_dir = root_dir
        self.path = None
        self._file = -1
        self.setFormatter(TorchLogsFormatter(trace=True))

    def _open(self):
        os.makedirs(self.root_dir, exist_ok=True)
        rank = _rank()
        rank = "" if rank is None else f"rank_{rank}_"
        self._file, self.path = tempfile.mkstemp(prefix=LOG_PREFIX + rank, suffix=".log", dir=self.root_dir)
        _write_version()

    def emit(self, record):
        """Write one record; warn if the folder is not writable."""
        if self._file < 0:
            self._open()
        _C._log_write(self._file, self.format(record) + "\n")

    def close(self):
        """Close the file, if there is one. A later record goes to a new file."""
        with self.lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1
                structured.forget_strings()
        super().close()


def _write_version():
    from torch import version  # not at the top: most programs trace nothing

    facts = {"pytorch_version": version.__version__, "commit": getattr(version, "git_version", None), "oss": True}
    _emit({"artifact": {"name": "torch_version", "encoding": "json"}}, facts, 2)


def _text_of(payload):
    return payload if isinstance(payload, str) else json.dumps(payload, indent=0)


def _emit(record, payload, stacklevel):
    if payload is not None:
        payload = _text_of(payload)
        digest = hashlib.md5(payload.encode(), usedforsecurity=False)
        record["has_payload"] = digest.hexdigest()
    trace_log.debug("", extra={"metadata": record, "payload": payload}, stacklevel=stacklevel + 1)


def _trace(name, metadata_fn, payload_fn, stacklevel, suppress_context, expect_trace_id, compile_id=None):
    assert callable(metadata_fn), f"metadata_fn should be callable, but got {type(metadata_fn)}"
    assert callable(payload_fn), f"payload_fn should be callable, but got {type(payload_fn)}"
    record = {name: metadata_fn()}
    if not suppress_context:
        rank = _rank()
        if rank is not None:
            record["rank"] = rank
        if compile_id is not None:
            record["frame_id"] = compile_id.frame_id
            record["frame_compile_id"] = compile_id.frame_compile_id
            record["attempt"] = getattr(compile_id, "attempt", 0)
        elif expect_trace_id:  # nothing else says what the record belongs to, so include the stack
            record["stack"] = structured.current_stack(stacklevel)
    _emit(record, payload_fn(), stacklevel + 1)


def trace_structured(
    name,
    metadata_fn=dict,
    *,
    payload_fn=lambda: None,
    suppress_context=False,
    expect_trace_id=True,
    record_logging_overhead=True,
    compile_id=None,
):
    """Write a record of one's own to the trace file; without TORCH_TRACE nothing is called and nothing happens.

    name: the kind of record, the key of its metadata; metadata_fn() gives these (whatever JSON can hold);
    payload_fn() gives a longer text, an object to be written as JSON, or None; suppress_context: no rank and no
    stack; expect_trace_id: with no compile_id, the stack of the caller is written. record_logging_overhead is of
    compilers, and taken for their sake."""
    if trace_log.handlers:
        _trace(name, metadata_fn, payload_fn, 2, suppress_context, expect_trace_id, compile_id)


def dtrace_structured(
    name,
    metadata_fn=dict,
    *,
    payload_fn=lambda: None,
    suppress_context=False,
    expect_trace_id=False,
    record_logging_overhead=True,
):
    """As trace_structured, with TORCH_DTRACE=DIR only, and without the stack unless expect_trace_id asks for it."""
    if _wants_dtrace and trace_log.handlers:
        _trace(name, metadata_fn, payload_fn, 2, suppress_context, expect_trace_id)


def trace_structured_artifact(name, encoding, payload_fn=lambda: None, compile_id=None):
    """Write an artifact record: a text called `name` that is to be read as `encoding` ("string", "json")."""
    if trace_log.handlers:
        _trace("artifact", lambda: {"name": name, "encoding": encoding}, payload_fn, 2, False, True, compile_id)


def set_up():
    """Read TORCH_TRACE and TORCH_DTRACE again."""
    global _wants_dtrace
    for handler in [h for h in trace_log.handlers if isinstance(h, LazyTraceHandler)]:
        trace_log.removeHandler(handler)
        handler.close()
    dtrace = os.environ.get(DTRACE_ENV_VAR)
    _wants_dtrace = bool(dtrace)
    folder = dtrace or os.environ.get(TRACE_ENV_VAR)
    if folder:
        trace_log.addHandler(LazyTraceHandler(folder))
        from torch._logging import _training

        _training.install()
