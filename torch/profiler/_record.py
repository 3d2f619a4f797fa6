"""record_function, and the counters of steps."""

from __future__ import annotations

import contextlib
from collections import defaultdict

from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    pass


class record_function(contextlib.ContextDecorator):
    """A named range of the profile, as a `with` block or a decorator; costs next to nothing while no profiler runs.

    Args:
        name (str): what the profile shows
        args (str, optional): a text beside the name, which observers of ranges may read

    Example:
        >>> with torch.profiler.profile() as profile:
        ...     with torch.profiler.record_function("my range"):
        ...         x = torch.ones(2)
        >>> "my range" in [event.name for event in profile.events()]
        True
    """

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args
        self._handle = -1

    def __enter__(self) -> record_function:
        self._handle = _C._profiler_begin_range(self.name)
        return self

    def __exit__(self, *exc: object) -> None:
        _C._profiler_end_range(self._handle)

    def _recreate_cm(self):
        return record_function(self.name, self.args)

    def _call_end_callbacks_on_future(self, fut):
        raise NotImplementedError("record_function: ranges that end with a future need torch.jit.Future, which is not there")


class KinetoStepTracker:
    """Counts steps for several parties that each report their own: the step is the furthest that any of them got.

    Example:
        >>> before = torch.autograd.profiler.KinetoStepTracker.current_step()
        >>> torch.autograd.profiler.KinetoStepTracker.increment_step("docs") - before in (0, 1)
        True
        >>> torch.autograd.profiler.KinetoStepTracker.erase_step_count("docs")
        True
    """

    _current_step = 0
    _step_dict: dict = defaultdict(int)

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Makes a party known, at the current step.

        Args:
            requester (str): its name
        """
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Forgets a party; False if it was not known.

        Args:
            requester (str): its name
        """
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """One step more of a party; gives the step of all.

        Args:
            requester (str): its name
        """
        if requester not in cls._step_dict:
            cls.init_step_count(requester)
        cls._step_dict[requester] += 1
        cls._current_step = max(cls._current_step, *cls._step_dict.values())
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """The step of all."""
        return cls._current_step
