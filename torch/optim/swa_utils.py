"""Averages of a model over its training: stochastic weight averaging (Izmailov et al. 2018), and exponential averages."""

from __future__ import annotations

import itertools
import math
import warnings
from copy import deepcopy

import torch
from torch.nn import Module
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.lr_scheduler._base import per_group

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Literal

    from torch import Tensor
    from torch.optim.optimizer import Optimizer
else:  # typing.get_type_hints() of classes needs them
    from torch import Tensor


__all__ = [
    "AveragedModel", "update_bn", "SWALR", "get_ema_multi_avg_fn", "get_swa_multi_avg_fn", "get_ema_avg_fn", "get_swa_avg_fn",
]  # fmt: skip


def _check_decay(decay: float) -> None:
    if not 0.0 <= decay <= 1.0:
        raise ValueError(f"decay is from 0 to 1, but got {decay}")


def _is_averaged_by_lerp(tensor: Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def get_ema_multi_avg_fn(decay: float = 0.999) -> Callable[..., None]:
    """The exponential average, for `multi_avg_fn` of AveragedModel: `average = decay * average + (1 - decay) * now`.

    Args:
        decay (float, default 0.999): share of the average that stays, from 0 to 1

    Returns:
        a function of a list of averages, a list of tensors, and the number of tensors averaged so far

    Example:
        >>> average = [torch.zeros(2)]
        >>> torch.optim.swa_utils.get_ema_multi_avg_fn(0.75)(average, [torch.ones(2)], 1)
        >>> average
        [tensor([0.2500, 0.2500])]
    """
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], _: Any) -> None:
        if not ema_param_list:
            return
        if _is_averaged_by_lerp(ema_param_list[0]):
            torch._foreach_lerp_(ema_param_list, current_param_list, 1 - decay)
        else:
            for average, now in zip(ema_param_list, current_param_list):
                average.copy_(average * decay + now * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn() -> Callable[..., None]:
    """The mean of all models so far, for `multi_avg_fn` of AveragedModel.

    Returns:
        a function of a list of averages, a list of tensors, and the number of tensors averaged so far

    Example:
        >>> average = [torch.zeros(2)]
        >>> torch.optim.swa_utils.get_swa_multi_avg_fn()(average, [torch.ones(2)], 3)
        >>> average
        [tensor([0.2500, 0.2500])]
    """

    @torch.no_grad()
    def swa_update(
        averaged_param_list: Sequence[Tensor], current_param_list: Sequence[Tensor], num_averaged: Tensor | int
    ) -> None:  # fmt: skip
        if not averaged_param_list:
            return
        if _is_averaged_by_lerp(averaged_param_list[0]):
            torch._foreach_lerp_(averaged_param_list, current_param_list, 1 / (float(num_averaged) + 1))
        else:
            for average, now in zip(averaged_param_list, current_param_list):
                average.copy_(average + (now - average) / (float(num_averaged) + 1))

    return swa_update


def get_ema_avg_fn(decay: float = 0.999) -> Callable[..., Tensor]:
    """The exponential average, for `avg_fn` of AveragedModel: `decay * average + (1 - decay) * now`.

    Args:
        decay (float, default 0.999): share of the average that stays, from 0 to 1

    Returns:
        a function of an average, a tensor, and the number of tensors averaged so far

    Example:
        >>> torch.optim.swa_utils.get_ema_avg_fn(0.75)(torch.zeros(2), torch.ones(2), 1)
        tensor([0.2500, 0.2500])
    """
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn() -> Callable[..., Tensor]:
    """The mean of all models so far, for `avg_fn` of AveragedModel.

    Returns:
        a function of an average, a tensor, and the number of tensors averaged so far

    Example:
        >>> torch.optim.swa_utils.get_swa_avg_fn()(torch.zeros(2), torch.ones(2), 3)
        tensor([0.2500, 0.2500])
    """

    @torch.no_grad()
    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Tensor | int) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are the average over the calls of `update_parameters`.

    Args:
        model (Module): the model
        device (torch.device or None): where the copy is kept
        avg_fn (Callable or None): gives the new average of one parameter, from the average, the parameter, and the number
            averaged so far; None: the mean
        multi_avg_fn (Callable or None): changes a list of averages in place, from the list of parameters and the number
        use_buffers (bool, default False): average the buffers as well; False copies them at each update

    Attributes:
        module: the copy
        n_averaged: how many models have been averaged

    Raises:
        AssertionError: both functions are given

    Example:
        >>> m = nn.Linear(1, 1, bias=False)
        >>> average = torch.optim.swa_utils.AveragedModel(m)
        >>> for value in (1.0, 3.0):
        ...     _ = m.weight.data.fill_(value)
        ...     average.update_parameters(m)
        >>> average.module.weight.item()
        2.0
    """

    n_averaged: Tensor

    def __init__(
        self, model: Module, device: int | torch.device | None = None, avg_fn: Callable[..., Tensor] | None = None,
        multi_avg_fn: Callable[..., None] | None = None, use_buffers: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("AveragedModel takes avg_fn or multi_avg_fn, but got both")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the averaged model.

        Args:
            *args, **kwargs: those of the model

        Returns:
            what the model returns

        Example:
            >>> torch.optim.swa_utils.AveragedModel(nn.ReLU())(torch.tensor([-1., 1.]))
            tensor([0., 1.])
        """
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Takes the present parameters of a model into the average.

        Args:
            model (Module): the model

        Example:
            >>> m = nn.Linear(2, 2)
            >>> average = torch.optim.swa_utils.AveragedModel(m)
            >>> average.update_parameters(m)
            >>> average.n_averaged
            tensor(1)
        """
        averages = [tensor.detach() for tensor in self._averaged(self.module)]
        present = [tensor.detach().to(average.device) for tensor, average in zip(self._averaged(model), averages)]
        if self.n_averaged == 0:
            for average, now in zip(averages, present):
                average.copy_(now)
        elif self.avg_fn is None:
            groups: dict[Any, tuple[list[Tensor], list[Tensor]]] = {}
            for average, now in zip(averages, present):
                held = groups.setdefault((average.device, average.dtype), ([], []))
                held[0].append(average)
                held[1].append(now)
            update = get_swa_multi_avg_fn() if self.multi_avg_fn is None else self.multi_avg_fn
            for old, new in groups.values():
                update(old, new, self.n_averaged.to(old[0].device))
        else:
            for average, now in zip(averages, present):
                average.copy_(self.avg_fn(average, now, self.n_averaged.to(average.device)))
        if not self.use_buffers:
            for held, buffer in zip(self.module.buffers(), model.buffers()):
                held.detach().copy_(buffer.detach())
        self.n_averaged += 1

    def _averaged(self, model: Module) -> Iterable[Tensor]:
        return itertools.chain(model.parameters(), model.buffers()) if self.use_buffers else model.parameters()


@torch.no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: int | torch.device | None = None) -> None:
    """Computes the running statistics of all batch normalizations of a model anew, as the mean over the batches of a loader.

    Averaged parameters need it, since the statistics belong to other parameters.

    Args:
        loader (Iterable[Any]): batches; of a tuple or list, the first item
        model (Module): the model
        device (torch.device or None): where the batches are moved

    Example:
        >>> m = nn.BatchNorm1d(2)
        >>> torch.optim.swa_utils.update_bn([torch.tensor([[1., 2.], [3., 4.]])], m)
        >>> m.running_mean
        tensor([2., 3.])
    """
    layers = [layer for layer in model.modules() if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm)]
    if not layers:
        return
    momenta = [layer.momentum for layer in layers]
    was_training = model.training
    for layer in layers:
        layer.reset_running_stats()
        layer.momentum = None  # each batch counts the same
    model.train()
    for batch in loader:
        inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(inputs if device is None else inputs.to(device))
    for layer, momentum in zip(layers, momenta):
        layer.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Brings the learning rates to a constant one, at which models are averaged.

    Args:
        optimizer (Optimizer): the optimizer
        swa_lr (float or list[float]): the constant rate, for all groups or for each
        anneal_epochs (int, default 10): epochs until it is reached
        anneal_strategy ('cos' or 'linear', default 'cos'): the form of the way there
        last_epoch (int, default -1): number of the last epoch when a run is taken up again; -1: start anew

    Raises:
        ValueError: the strategy is unknown, or `anneal_epochs` is no number of epochs

    Example:
        >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
        >>> schedule = torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.5, anneal_epochs=2, anneal_strategy="linear")
        >>> for _ in range(3):
        ...     optimizer.step()
        ...     schedule.step()
        ...     print(schedule.get_last_lr())
        [0.75]
        [0.5]
        [0.5]
    """

    def __init__(
        self, optimizer: Optimizer, swa_lr: float | list[float], anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos", last_epoch: int = -1,
    ) -> None:  # fmt: skip
        for rate, group in zip(per_group(swa_lr, optimizer, "swa_lr"), optimizer.param_groups):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"SWALR: anneal_strategy is 'cos' or 'linear', but got {anneal_strategy!r}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"SWALR: anneal_epochs is a number of 0 or more, but got {anneal_epochs}")
        self._anneal_strategy, self.anneal_epochs = anneal_strategy, anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _share(self, step: float) -> float:
        """The share of the constant rate after `step` epochs."""
        t = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self) -> list[Any]:
        """The rates of the groups for the present epoch, computed from those of the last.

        Returns:
            a rate for every group

        Example:
            >>> optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
            >>> torch.optim.swa_utils.SWALR(optimizer, swa_lr=0.5).get_last_lr()
            [1.0]
        """
        if not self._get_lr_called_within_step:
            warnings.warn("To get the last learning rate computed by the scheduler, use get_last_lr()", stacklevel=2)
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            target = group["swa_lr"]
            start = target if before == 1 else (group["lr"] - before * target) / (1 - before)
            rates.append(target * now + start * (1 - now))
        return rates
