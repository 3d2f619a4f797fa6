"""AdamW (Loshchilov and Hutter 2017): Adam with weight decay decoupled from the gradient."""

from __future__ import annotations

from torch.optim._functional import adamw as adamw
from torch.optim.adam import Adam

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor
    from torch.optim.optimizer import ParamsT


class AdamW(Adam):
    """Adam whose parameters shrink by `lr * weight_decay` at every step, apart from the gradient (Loshchilov and Hutter 2017).

    Args:
        params (iterable): parameters, (name, parameter) pairs, or dictionaries with 'params' and settings of their own
        lr (float or Tensor, default 1e-3): learning rate; a tensor is read at every step
        betas (tuple[float or Tensor, float or Tensor], default (0.9, 0.999)): decay of the averages of the gradient and
            of its square, from 0 to below 1
        eps (float, default 1e-8): keeps the divisor from 0
        weight_decay (float, default 1e-2): how fast parameters shrink
        amsgrad (bool, default False): use the largest v' so far (Reddi et al. 2018)
        maximize (bool, default False): go up the gradient instead of down
        foreach (bool or None): None: the fast way; False: one parameter at a time, in plain operators
        capturable (bool, default False): for graphs on a GPU; refused for parameters on a CPU
        differentiable (bool, default False): record the step itself for autograd
        fused (bool or None): None: the fast way; False: one parameter at a time, in plain operators

    Raises:
        ValueError: a setting is out of range

    Example:
        >>> p = nn.Parameter(torch.tensor([1.]))
        >>> optimizer = torch.optim.AdamW([p])
        >>> for _ in range(3):
        ...     optimizer.zero_grad()
        ...     (p ** 2).sum().backward()
        ...     optimizer.step()
        >>> bool(p < 1)
        True
    """

    def __init__(
        self, params: ParamsT, lr: float | Tensor = 1e-3, betas: tuple[float | Tensor, float | Tensor] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *, maximize: bool = False,
        foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, foreach=foreach, maximize=maximize, capturable=capturable,
            differentiable=differentiable, fused=fused, decoupled_weight_decay=True,
        )  # fmt: skip

    def __setstate__(self, state: Any) -> None:
        super().__setstate__(state)
        for group in self.param_groups:
            group["decoupled_weight_decay"] = True
