"""A schedule that watches a measurement."""

from __future__ import annotations

from torch.optim.lr_scheduler._base import LRScheduler, check_optimizer, copied, set_setting

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from torch import Tensor
    from torch.optim.optimizer import Optimizer


class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a measurement has not got better for more than `patience` epochs.

    Args:
        optimizer (Optimizer): the optimizer whose rates are set
        mode (str, default "min"): 'min' where less is better, else 'max'
        factor (float, default 0.1): below 1
        patience (int, default 10): epochs without improvement that are let pass
        threshold (float, default 1e-4): how much better counts
        threshold_mode (str, default "rel"): 'rel': that share of the best; 'abs': that much
        cooldown (int, default 0): epochs after a reduction that do not count
        min_lr (float or list[float], default 0): the least rate, or one for each group
        eps (float, default 1e-8): smaller reductions are not made

    Raises:
        ValueError: the factor is not below 1, or a mode is unknown

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=1)
        >>> for loss in [5.0, 5.0, 5.0]:
        ...     schedule.step(loss)
        >>> schedule.get_last_lr()
        [0.1]
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError("mode " + mode + " is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError("threshold mode " + threshold_mode + " is unknown!")
        self.factor, self.optimizer = factor, optimizer
        count = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != count:
                raise ValueError(f"expected {count} min_lrs, got {len(min_lr)}")
            self.default_min_lr, self.min_lrs = None, list(min_lr)
        else:
            self.default_min_lr, self.min_lrs = min_lr, [min_lr] * count
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.last_epoch = 0
        self._last_lr = [copied(group["lr"]) for group in optimizer.param_groups]
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self.mode_worse = float("inf") if mode == "min" else -float("inf")
        self._reset()

    def _reset(self) -> None:
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    def step(self, metrics: float | Tensor, epoch: int | None = None) -> None:
        """Takes a measurement, and reduces the rates if it is time.

        Args:
            metrics (float or Tensor): the measurement
            epoch (int or None): deprecated: go to this epoch

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> schedule = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)
            >>> schedule.step(0.5)
            >>> schedule.best
            0.5
        """
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self._is_better(current, self.best):
            self.best, self.num_bad_epochs = current, 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce_lr(self.last_epoch)
            self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
        self._last_lr = [copied(group["lr"]) for group in self.optimizer.param_groups]

    def _reduce_lr(self, epoch: int | None) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when "
                    f"`ReduceLROnPlateau` was initialized ({len(self.min_lrs)}), usually due to a new param group "
                    "being added to the optimizer. Please modify the `min_lrs` field to match the length of the "
                    "`optimizer` param groups."
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, minimum in zip(groups, self.min_lrs):
            before = float(group["lr"])
            after = max(before * self.factor, minimum)
            if before - after > self.eps:
                set_setting(group, "lr", after)

    @property
    def in_cooldown(self) -> bool:
        """Whether a reduction was made within the last `cooldown` epochs.

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer).in_cooldown
            False
        """
        return self.cooldown_counter > 0

    def _is_better(self, a: float, best: float) -> bool:
        if self.threshold_mode == "rel":
            return a < best * (1.0 - self.threshold) if self.mode == "min" else a > best * (self.threshold + 1.0)
        return a < best - self.threshold if self.mode == "min" else a > best + self.threshold
