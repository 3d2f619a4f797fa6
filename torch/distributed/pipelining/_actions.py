"""Actions of a schedule: what a process does next. "2F0" is forward of part 0 of the batch in stage 2."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple


class _ComputationType(str, Enum):
    """What is done. The values are what tables say."""

    FORWARD = "F"
    BACKWARD_INPUT = "I"
    BACKWARD_WEIGHT = "W"
    UNSHARD = "UNSHARD"
    RESHARD = "RESHARD"
    SEND_F = "SEND_F"
    RECV_F = "RECV_F"
    SEND_B = "SEND_B"
    RECV_B = "RECV_B"
    FULL_BACKWARD = "B"
    OVERLAP_F_B = "OVERLAP_F_B"
    REDUCE_GRAD = "REDUCE_GRAD"

    @staticmethod
    def from_str(action: str) -> _ComputationType:
        """The type of a name in a table.

        Args:
            action (str): the name, such as "F"

        Raises:
            RuntimeError: there is none
        """
        try:
            return _ComputationType(action)
        except ValueError:
            names = ", ".join(kind.value for kind in _ComputationType)
            raise RuntimeError(f"_ComputationType: expected one of {names}, got {action!r}") from None


F, B = _ComputationType.FORWARD, _ComputationType.FULL_BACKWARD
I, W = _ComputationType.BACKWARD_INPUT, _ComputationType.BACKWARD_WEIGHT  # noqa: E741  (the letters of the field)
UNSHARD, RESHARD, REDUCE_GRAD = _ComputationType.UNSHARD, _ComputationType.RESHARD, _ComputationType.REDUCE_GRAD
SEND_F, RECV_F = _ComputationType.SEND_F, _ComputationType.RECV_F
SEND_B, RECV_B = _ComputationType.SEND_B, _ComputationType.RECV_B
OVERLAP_F_B = _ComputationType.OVERLAP_F_B

_COMPUTES = (F, B, I, W)
_PATTERN = re.compile(r"(\d+)(F|I|B|W|UNSHARD|RESHARD|REDUCE_GRAD|SEND_F|RECV_F|SEND_B|RECV_B)(\d*)")
_OVERLAP = re.compile(r"\((.+)\)OVERLAP_F_B")


class _Action(NamedTuple):
    """What is done, of which stage, for which part of the batch; OVERLAP_F_B has actions inside of it."""

    stage_index: int
    computation_type: _ComputationType
    microbatch_index: int | None = None
    sub_actions: tuple[_Action, ...] | None = None

    def __str__(self) -> str:
        if self.sub_actions is not None:
            return f"({';'.join(map(str, self.sub_actions))}){OVERLAP_F_B.value}"
        part = "" if self.microbatch_index is None else self.microbatch_index
        return f"{self.stage_index}{self.computation_type.value}{part}"

    def __repr__(self) -> str:
        return str(self)

    @property
    def is_compute_op(self) -> bool:
        """Whether something is computed."""
        return self.computation_type in (*_COMPUTES, OVERLAP_F_B)

    @staticmethod
    def from_str(action_string: str) -> _Action | None:
        """The action of a table's cell.

        Args:
            action_string (str): the cell, such as "2F0"

        Returns:
            the action; None of an empty cell

        Raises:
            RuntimeError: it is none
        """
        text = action_string.strip()
        if not text:
            return None
        if found := _OVERLAP.fullmatch(text):
            inside = tuple(action for part in found[1].split(";") if (action := _Action.from_str(part)) is not None)
            return _Action(-1, OVERLAP_F_B, None, inside)
        found = _PATTERN.fullmatch(text)
        if found is None:
            raise RuntimeError(f"_Action: expected a stage, what it does and a part, as in 2F0, got {action_string!r}")
        return _Action(int(found[1]), _ComputationType(found[2]), int(found[3]) if found[3] else None)


def computed(actions: list[_Action | None]) -> list[_Action]:
    """What an order computes, without what is sent and gathered."""
    flat: list[_Action] = []
    for action in actions:
        if action is None:
            continue
        flat += action.sub_actions if action.sub_actions is not None else [action]
    return [action for action in flat if action.computation_type in _COMPUTES]
