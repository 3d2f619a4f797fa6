"""Limited-memory BFGS (Nocedal and Wright, Numerical Optimization, chapter 7)."""

from __future__ import annotations

import torch
from torch.optim._line_search import strong_wolfe
from torch.optim.optimizer import Optimizer

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from torch import Tensor
    from torch.optim.optimizer import ParamsT

    _T = TypeVar("_T")


class LBFGS(Optimizer):
    """Limited-memory BFGS: quasi-Newton steps (Nocedal and Wright, Numerical Optimization, chapter 7).

    It takes one group of parameters, and a closure at every step, which it calls several times.

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1): learning rate; a tensor is read at every step
        max_iter (int, default 20): iterations of a step
        max_eval (int or None): calls of the closure in a step; None: `max_iter * 5 // 4`
        tolerance_grad (float, default 1e-7): stop where no element of the gradient is larger
        tolerance_change (float, default 1e-9): stop where parameters and loss change less
        history_size (int, default 100): how many steps the curvature is estimated from
        line_search_fn (str or None): None: steps of length lr; 'strong_wolfe': search along the direction

    Raises:
        ValueError: several groups, or a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([3.]))
        >>> optimizer = torch.optim.LBFGS([p], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     optimizer.zero_grad()
        ...     loss = ((p - 1) ** 2).sum()
        ...     loss.backward()
        ...     return loss
        >>> loss = optimizer.step(closure)
        >>> p.detach().round(decimals=3)
        tensor([1.])
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        if isinstance(lr, torch.Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not 0.0 <= lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        super().__init__(
            params,
            {
                "lr": lr,
                "max_iter": max_iter,
                "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
                "tolerance_grad": tolerance_grad,
                "tolerance_change": tolerance_change,
                "history_size": history_size,
                "line_search_fn": line_search_fn,
            },
        )
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")
        self._params = self.param_groups[0]["params"]

    def _gradient(self) -> Tensor:
        parts = []
        for p in self._params:
            part = p.new_zeros(p.numel()) if p.grad is None else p.grad.to_dense() if p.grad.is_sparse else p.grad
            part = part.reshape(-1)
            parts.append(torch.view_as_real(part).reshape(-1) if part.is_complex() else part)
        return torch.cat(parts)

    def _move(self, length: Any, direction: Tensor) -> None:
        start = 0
        for p in self._params:
            target = torch.view_as_real(p) if p.is_complex() else p
            count = target.numel()
            target.add_(direction[start : start + count].view_as(target), alpha=float(length))
            start += count

    def _at(self, closure: Any, start: Any, length: Any, direction: Tensor) -> tuple[float, Tensor]:
        """Loss and gradient at a distance along the direction; the parameters are put back."""
        self._move(length, direction)
        loss, gradient = float(closure()), self._gradient()
        for p, before in zip(self._params, start):
            p.copy_(before)
        return loss, gradient

    @staticmethod
    def _direction(
        gradient: Tensor, steps: list[Tensor], changes: list[Tensor], curvatures: Any, scale: Any, weights: list[Any]
    ) -> Tensor:  # fmt: skip
        """Two-loop recursion: minus the approximate inverse Hessian times the gradient."""
        q = gradient.neg()
        for k in range(len(steps) - 1, -1, -1):
            weights[k] = steps[k].dot(q) * curvatures[k]
            q.add_(changes[k], alpha=-weights[k].item())
        q = q * scale
        for k in range(len(steps)):
            q.add_(steps[k], alpha=(weights[k] - changes[k].dot(q) * curvatures[k]).item())
        return q

    @torch.no_grad()
    def step(self, closure: Callable[[], _T]) -> _T:
        """Up to max_iter iterations.

        Args:
            closure (Callable[[], _T]): computes the loss anew, and its gradients, and returns it

        Returns:
            the loss at the start

        Raises:
            RuntimeError: the line search is unknown

        Example:
            >>> p = nn.Parameter(torch.tensor([3.]))
            >>> optimizer = torch.optim.LBFGS([p])
            >>> def closure():
            ...     optimizer.zero_grad()
            ...     loss = (p ** 2).sum()
            ...     loss.backward()
            ...     return loss
            >>> optimizer.step(closure).item()
            9.0
        """
        closure = torch.enable_grad()(closure)
        group, state = self.param_groups[0], self.state[self._params[0]]
        lr, search = group["lr"], group["line_search_fn"]
        if search not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        first_loss = closure()
        loss = float(first_loss)
        state["func_evals"] += 1
        evaluations, gradient = 1, self._gradient()
        if gradient.abs().max() <= group["tolerance_grad"]:
            return first_loss
        d, t = state.get("d"), state.get("t")
        steps, changes, curvatures = state.get("old_stps", []), state.get("old_dirs", []), state.get("ro", [])
        scale, before, loss_before = state.get("H_diag", 1), state.get("prev_flat_grad"), state.get("prev_loss")
        iteration = 0
        while iteration < group["max_iter"]:
            iteration += 1
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                d, steps, changes, curvatures, scale = gradient.neg(), [], [], [], 1
            else:
                change, step = gradient.sub(before), d.mul(t)
                curvature = change.dot(step)
                if curvature > 1e-10:
                    if len(steps) == group["history_size"]:
                        for memory in (steps, changes, curvatures):
                            memory.pop(0)
                    changes.append(change)
                    steps.append(step)
                    curvatures.append(1.0 / curvature)
                    scale = curvature / change.dot(change)
                # One list for all steps: state dictionaries hold it.
                weights = state.setdefault("al", [None] * group["history_size"])
                d = self._direction(gradient, steps, changes, curvatures, scale, weights)
            before, loss_before = gradient.clone(), loss
            t = min(1.0, 1.0 / gradient.abs().sum().item()) * lr if state["n_iter"] == 1 else lr
            slope = gradient.dot(d)
            if slope > -group["tolerance_change"]:
                break
            used = 0
            if search is not None:
                start = [p.clone(memory_format=torch.contiguous_format) for p in self._params]
                loss, gradient, t, used = strong_wolfe(
                    lambda length: self._at(closure, start, length, d), t, d, loss, gradient, slope,
                    max_rounds=min(25, group["max_eval"] - evaluations),
                )  # fmt: skip
                self._move(t, d)
                settled = gradient.abs().max() <= group["tolerance_grad"]
            else:
                self._move(t, d)
                settled = False
                if iteration != group["max_iter"]:
                    loss = float(closure())
                    gradient, used = self._gradient(), 1
                    settled = gradient.abs().max() <= group["tolerance_grad"]
            evaluations += used
            state["func_evals"] += used
            if (
                iteration == group["max_iter"]
                or evaluations >= group["max_eval"]
                or settled
                or d.mul(t).abs().max() <= group["tolerance_change"]
                or abs(loss - loss_before) < group["tolerance_change"]
            ):
                break
        state.update(
            d=d, t=t, old_dirs=changes, old_stps=steps, ro=curvatures, H_diag=scale, prev_flat_grad=before, prev_loss=loss_before
        )
        return first_loss
