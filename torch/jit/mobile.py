"""Modules compiled for phones, which this version can neither write nor read."""

from __future__ import annotations

from typing import Any, NoReturn

from torch.jit._script import _NoCompiledForm


class LiteScriptModule(_NoCompiledForm):
    """A module compiled for phones, which this version cannot make."""


def _load_for_lite_interpreter(f: Any, map_location: Any = None) -> NoReturn:
    """Refused: such files hold compiled code."""
    raise NotImplementedError(
        "torch.jit.mobile._load_for_lite_interpreter reads compiled code, which this version cannot run; save a state_dict() "
        "where the file came from, and load that with torch.load"
    )
