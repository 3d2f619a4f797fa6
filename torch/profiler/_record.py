"""record_function, and who counts steps."""

from __future__ import annotations

import contextlib
from collections import defaultdict

from torch import _C


class record_function(contextlib.ContextDecorator):
    """A named range of the profile, as a `with` block or a decorator. Costs next to nothing while no profiler runs.

    args: a text beside the name, which observers of ranges may read; the profile shows the name alone."""

    def __init__(self, name, args=None):
        self.name, self.args = name, args
        self._handle = -1

    def __enter__(self):
        self._handle = _C._profiler_begin_range(self.name)
        return self

    def __exit__(self, *exc):
        _C._profiler_end_range(self._handle)

    def _recreate_cm(self):
        return record_function(self.name, self.args)

    def _call_end_callbacks_on_future(self, fut):
        raise NotImplementedError("record_function: ranges that end with a future need torch.jit.Future, which is not there")


class KinetoStepTracker:
    """Counts steps for several parties that each report their own: the step is the furthest that any of them got."""

    _current_step = 0
    _step_dict: dict = defaultdict(int)

    @classmethod
    def init_step_count(cls, requester: str):
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Forgets a party; False if it was not known."""
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """One step more of this party; gives the step of all."""
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        cls._current_step = max(cls._current_step, *cls._step_dict.values())
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        return cls._current_step
