"""The operators of `torch.linalg`."""

from torch import _C
from torch._lazy import lazy

LinAlgError = _C._LinAlgError

# Sentences that docstrings of programs outside of torch insert.
common_notes = {
    "experimental_warning": "This function may change in a later version.",
    "sync_note": "On a GPU, the host waits for the result, to check it.",
    "sync_note_ex": "On a GPU, the host waits for the result only with `check_errors=True`.",
    "sync_note_has_ex": "On a GPU, the host waits for the result, to check it; `torch.linalg.{}` does not.",
}

__getattr__, __dir__ = lazy(__name__, operators=_C._linalg)
