"""PassManager: runs passes in an order that keeps their constraints, again while they change something."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from torch import nn
from torch.fx.passes.infra.pass_base import PassResult

__all__ = ["pass_result_wrapper", "this_before_that_pass_constraint", "PassManager"]


def pass_result_wrapper(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A pass that returns a PassResult, out of one that changes the module and returns it or nothing.

    Args:
        fn (Callable): the pass

    Returns:
        the other
    """
    if fn is None:
        return None

    @functools.wraps(fn)
    def wrapped(gm: Any) -> PassResult:
        result = fn(gm)
        if result is None:
            return PassResult(gm, True)
        return result if isinstance(result, PassResult) else PassResult(result, True)

    if not inspect.isfunction(fn):
        wrapped.__name__ = type(fn).__name__
    return wrapped


def this_before_that_pass_constraint(this: Callable[..., Any], that: Callable[..., Any]) -> Callable[..., bool]:
    """A constraint: one pass must run before another.

    Args:
        this (Callable): the one
        that (Callable): the other

    Returns:
        a function of two passes in their order, which says whether that order is allowed
    """
    return lambda a, b: not (a == that and b == this)


def _topological_sort_passes(passes: list[Any], constraints: list[Callable[..., bool]]) -> list[Any]:
    """The passes in an order that all constraints allow."""
    waiting, order = list(passes), []
    while waiting:
        for each in waiting:
            if all(other is each or all(allowed(each, other) for allowed in constraints) for other in waiting):
                waiting.remove(each)
                order.append(each)
                break
        else:
            names = [getattr(each, "__name__", each) for each in waiting]
            raise RuntimeError(f"PassManager: the constraints contradict each other for the passes {names}")
    return order


class PassManager:
    """Runs passes in order.

    Args:
        passes (list, optional): the passes, which return a PassResult
        constraints (list, optional): functions of two passes in their order; False forbids it
        steps (int, optional): how many times at most; by default once
        run_checks_after_each_pass (bool, default False): run the checks of `add_checks` after each pass
        suppress_check_failures (bool, default False): only log failed checks
    """

    def __init__(self, passes: list[Any] | None = None, constraints: list[Any] | None = None, steps: int | None = None,
                 run_checks_after_each_pass: bool = False, suppress_check_failures: bool = False) -> None:  # fmt: skip
        self.passes, self.constraints = passes or [], constraints or []
        self.steps = steps or 1
        self.run_checks_after_each_pass = run_checks_after_each_pass
        self.suppress_check_failures = suppress_check_failures
        self._validated = False

    def add_pass(self, _pass: Callable[..., Any]) -> None:
        """Add a pass."""
        self.passes.append(_pass)
        self._validated = False

    def add_constraint(self, constraint: Callable[..., bool]) -> None:
        """Add a constraint."""
        self.constraints.append(constraint)
        self._validated = False

    def validate_constraints(self) -> None:
        """Raise RuntimeError if the order breaks a constraint."""
        if self._validated:
            return
        for constraint in self.constraints:
            for k, first in enumerate(self.passes):
                for second in self.passes[k + 1 :]:
                    if not constraint(first, second):
                        raise RuntimeError(f"PassManager: a constraint forbids {first} before {second}")
        self._validated = True

    def solve_constraints(self) -> None:
        """Sort the passes so that the constraints are kept."""
        self.passes = _topological_sort_passes(self.passes, self.constraints)
        self._validated = True

    def add_checks(self, check: Callable[..., Any]) -> None:
        """Add a check of the module, a function of one parameter named `module`.

        Raises:
            TypeError: it takes something else
        """
        if len(inspect.signature(check).parameters) != 1:
            raise TypeError("PassManager.add_checks: a check takes the module and nothing else")
        self.check = check  # type: ignore[method-assign]

    def check(self, module: nn.Module) -> None:
        """The check, which does nothing until `add_checks` sets one."""

    def __call__(self, module: nn.Module) -> PassResult:
        if not self._validated:
            self.solve_constraints()
        self.check(module)
        modified = False
        for _ in range(self.steps):
            changed = False
            for each in self.passes:
                result = each(module)
                if not isinstance(result, PassResult):
                    raise TypeError(f"PassManager: {each} must return a PassResult; pass_result_wrapper makes it do so")
                module, changed = result.graph_module, changed or result.modified
                if self.run_checks_after_each_pass:
                    self.check(module)
            modified |= changed
            if not changed:
                break
        return PassResult(module, modified)
