"""The rules of the optimizers as functions of lists of tensors, under the names that packages import: `torch.optim.adam.adam`.

The lists hold one item for each parameter; the state is changed in place. The caller switches the recording of gradients off.
"""

from __future__ import annotations

import importlib

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any

    from torch import Tensor

    Tensors = list[Tensor]


def _each(kind: str, params: Tensors, grads: Tensors, state: dict[str, Any], maximize: bool, **group: Any) -> None:
    """The rule of an optimizer's class for one parameter after the other, or for lists where nothing may wait for a GPU."""
    cls = getattr(importlib.import_module(f"torch.optim.{kind.lower()}"), kind)
    if group.get("capturable") and not group.get("differentiable") and params:
        from torch.optim._lists import reals

        lists = {name: reals(items) for name, items in state.items() if items}
        grads = [-gradient for gradient in grads] if maximize else grads
        cls._update_lists(None, reals(params), reals(grads), lists, group)
        return
    update = cls._update
    for number, (parameter, gradient) in enumerate(zip(params, grads)):
        held = {name: items[number] for name, items in state.items() if items}
        before = dict(held)
        update(None, parameter, -gradient if maximize else gradient, held, {"maximize": maximize, **group})
        for name, value in held.items():
            if value is not before[name]:  # the rule has made a new number
                before[name].copy_(value)


def sgd(
    params: Tensors, d_p_list: Tensors, momentum_buffer_list: list[Tensor | None], has_sparse_grad: bool = False,
    foreach: bool | None = None, fused: bool | None = None, grad_scale: Tensor | None = None, found_inf: Tensor | None = None,
    *, weight_decay: float, momentum: float, lr: float, dampening: float, nesterov: bool, maximize: bool,
) -> None:  # fmt: skip
    """One step of SGD. Buffers that are None are made, and put into the list."""
    from torch.optim.sgd import _plain

    group = {
        "weight_decay": weight_decay, "momentum": momentum, "lr": lr, "dampening": dampening, "nesterov": nesterov,
        "maximize": maximize,
    }  # fmt: skip
    for number, (parameter, gradient) in enumerate(zip(params, d_p_list)):
        state: dict[str, Any] = {}
        if momentum and momentum_buffer_list[number] is not None:
            state["momentum_buffer"] = momentum_buffer_list[number]
        _plain(parameter, gradient, state, group)
        if momentum:
            momentum_buffer_list[number] = state["momentum_buffer"]


def adam(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, max_exp_avg_sqs: Tensors, state_steps: Tensors,
    foreach: bool | None = None, capturable: bool = False, differentiable: bool = False, fused: bool | None = None,
    grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_complex: bool = False,
    decoupled_weight_decay: bool = False, *, amsgrad: bool, beta1: float, beta2: float, lr: float | Tensor,
    weight_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """One step of Adam."""
    from torch.optim.adam import _plain

    group = {
        "betas": (beta1, beta2), "lr": lr, "weight_decay": weight_decay, "eps": eps, "maximize": maximize,
        "decoupled_weight_decay": decoupled_weight_decay,
    }  # fmt: skip
    if capturable:
        state = {"step": state_steps, "exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "max_exp_avg_sq": max_exp_avg_sqs}
        _each("Adam", params, grads, state, capturable=True, amsgrad=amsgrad, **group)
        return
    for number, parameter in enumerate(params):
        largest = max_exp_avg_sqs[number] if amsgrad else None
        _plain(parameter, grads[number], exp_avgs[number], exp_avg_sqs[number], largest, state_steps[number], group)


def adamw(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, max_exp_avg_sqs: Tensors, state_steps: Tensors,
    *flags: Any, decoupled_weight_decay: bool = True, **settings: Any,
) -> None:  # fmt: skip
    """One step of AdamW."""
    names = ("foreach", "capturable", "differentiable", "fused", "grad_scale", "found_inf", "has_complex")
    settings.update(zip(names, flags))
    adam(params, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, decoupled_weight_decay=True, **settings)


def adagrad(
    params: Tensors, grads: Tensors, state_sums: Tensors, state_steps: Tensors, fused: bool | None = None,
    grad_scale: Tensor | None = None, found_inf: Tensor | None = None, has_sparse_grad: bool = False,
    foreach: bool | None = None, differentiable: bool = False, has_complex: bool = False, *, lr: float, weight_decay: float,
    lr_decay: float, eps: float, maximize: bool,
) -> None:  # fmt: skip
    """One step of Adagrad."""
    state = {"step": state_steps, "sum": state_sums}
    _each("Adagrad", params, grads, state, maximize, lr=lr, weight_decay=weight_decay, lr_decay=lr_decay, eps=eps)


def adadelta(
    params: Tensors, grads: Tensors, square_avgs: Tensors, acc_deltas: Tensors, state_steps: Tensors, capturable: bool = False,
    foreach: bool | None = None, differentiable: bool = False, has_complex: bool = False, *, lr: float, rho: float, eps: float,
    weight_decay: float, maximize: bool,
) -> None:  # fmt: skip
    """One step of Adadelta."""
    state = {"step": state_steps, "square_avg": square_avgs, "acc_delta": acc_deltas}
    _each("Adadelta", params, grads, state, maximize, capturable=capturable, lr=lr, rho=rho, eps=eps, weight_decay=weight_decay)


def adamax(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_infs: Tensors, state_steps: Tensors, foreach: bool | None = None,
    maximize: bool = False, differentiable: bool = False, capturable: bool = False, has_complex: bool = False, *, eps: float,
    beta1: float, beta2: float, lr: float, weight_decay: float,
) -> None:  # fmt: skip
    """One step of Adamax."""
    state = {"step": state_steps, "exp_avg": exp_avgs, "exp_inf": exp_infs}
    _each(
        "Adamax",
        params,
        grads,
        state,
        maximize,
        capturable=capturable,
        lr=lr,
        betas=(beta1, beta2),
        eps=eps,
        weight_decay=weight_decay,
    )


def asgd(
    params: Tensors, grads: Tensors, axs: Tensors, mus: Tensors, etas: Tensors, state_steps: Tensors,
    foreach: bool | None = None, maximize: bool = False, differentiable: bool = False, capturable: bool = False,
    has_complex: bool = False, *, lambd: float, lr: float, t0: float, alpha: float, weight_decay: float,
) -> None:  # fmt: skip
    """One step of ASGD."""
    state = {"step": state_steps, "ax": axs, "mu": mus, "eta": etas}
    _each(
        "ASGD",
        params,
        grads,
        state,
        maximize,
        capturable=capturable,
        lambd=lambd,
        lr=lr,
        t0=t0,
        alpha=alpha,
        weight_decay=weight_decay,
    )


def nadam(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, mu_products: Tensors, state_steps: Tensors,
    decoupled_weight_decay: bool = False, foreach: bool | None = None, capturable: bool = False, differentiable: bool = False,
    has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float, lr: float, weight_decay: float,
    momentum_decay: float, eps: float,
) -> None:  # fmt: skip
    """One step of NAdam."""
    state = {"step": state_steps, "exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs, "mu_product": mu_products}
    _each(
        "NAdam", params, grads, state, maximize, capturable=capturable,
        lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay,
        momentum_decay=momentum_decay, decoupled_weight_decay=decoupled_weight_decay,
    )  # fmt: skip


def radam(
    params: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, state_steps: Tensors,
    decoupled_weight_decay: bool = False, foreach: bool | None = None, differentiable: bool = False, capturable: bool = False,
    has_complex: bool = False, maximize: bool = False, *, beta1: float, beta2: float, lr: float, weight_decay: float, eps: float,
) -> None:  # fmt: skip
    """One step of RAdam."""
    state = {"step": state_steps, "exp_avg": exp_avgs, "exp_avg_sq": exp_avg_sqs}
    _each(
        "RAdam", params, grads, state, maximize, capturable=capturable,
        lr=lr, betas=(beta1, beta2), eps=eps, weight_decay=weight_decay,
        decoupled_weight_decay=decoupled_weight_decay,
    )  # fmt: skip


def rmsprop(
    params: Tensors, grads: Tensors, square_avgs: Tensors, grad_avgs: Tensors, momentum_buffer_list: Tensors,
    state_steps: Tensors, foreach: bool | None = None, maximize: bool = False, differentiable: bool = False,
    capturable: bool = False, has_complex: bool = False, *, lr: float, alpha: float, eps: float, weight_decay: float,
    momentum: float, centered: bool,
) -> None:  # fmt: skip
    """One step of RMSprop."""
    state = {
        "step": state_steps, "square_avg": square_avgs, "grad_avg": grad_avgs, "momentum_buffer": momentum_buffer_list,
    }  # fmt: skip
    _each(
        "RMSprop", params, grads, state, maximize, capturable=capturable,
        lr=lr, alpha=alpha, eps=eps, weight_decay=weight_decay, momentum=momentum,
        centered=centered,
    )  # fmt: skip


def rprop(
    params: Tensors, grads: Tensors, prevs: Tensors, step_sizes: Tensors, state_steps: Tensors, foreach: bool | None = None,
    capturable: bool = False, maximize: bool = False, differentiable: bool = False, has_complex: bool = False, *,
    step_size_min: float, step_size_max: float, etaminus: float, etaplus: float,
) -> None:  # fmt: skip
    """One step of Rprop."""
    state = {"step": state_steps, "prev": prevs, "step_size": step_sizes}
    _each(
        "Rprop", params, grads, state, maximize, capturable=capturable,
        etas=(etaminus, etaplus), step_sizes=(step_size_min, step_size_max),
    )  # fmt: skip
