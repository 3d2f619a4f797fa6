"""The cases, by group. Each module offers CASES: name -> Case. They run under this library and under PyTorch alike."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Case:
    make: Callable  # () -> a function without arguments, the thing to time
    budget: float  # the most that ours may take, as a fraction of the peer's time
    rival: Callable | None = None  # () -> what the peer times instead (NumPy for views)
    inner: int = 0  # calls in one timing; 0: found by the runner


def groups():
    from cases import busy, calls, compute, fresh, memory, training

    return {
        "busy": busy.CASES,
        "calls": calls.CASES,
        "memory": memory.CASES,
        "fresh": fresh.CASES,
        "compute": compute.CASES,
        "training": training.CASES,
    }
