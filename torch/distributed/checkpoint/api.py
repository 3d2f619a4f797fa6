"""The error of a save or load that failed on some processes."""

from __future__ import annotations

from typing import Any


class CheckpointException(BaseException):
    """A save or load failed on some processes; every process gets it.

    Args:
        msg (str): what was done
        failures (dict): the error of each rank that failed, with its traceback

    Example:
        >>> torch.distributed.checkpoint.CheckpointException("save", {}).failures
        {}
    """

    def __init__(self, msg: str, failures: dict[int, Any]) -> None:
        super().__init__(msg, failures)
        self._failures = failures

    @property
    def failures(self) -> dict[int, Any]:
        """The error of each rank that failed, with its traceback."""
        return self._failures

    def __str__(self) -> str:
        texts = [f"{self.args[0]} failed on ranks {sorted(self._failures)}"]
        for rank, (error, stack) in sorted(self._failures.items()):
            lines = "".join(stack.format()) if hasattr(stack, "format") else ""
            texts.append(f"rank {rank}:\n{lines}{type(error).__name__}: {error}")
        return "\n".join(texts)
