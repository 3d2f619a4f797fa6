"""Schedules given as functions of the epoch."""

import types

from torch.optim.lr_scheduler._base import LRScheduler, check_optimizer


class _Functions(LRScheduler):
    """One function for all groups, or one for each."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        check_optimizer(optimizer)
        count = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            lr_lambda = [lr_lambda] * count
        elif len(lr_lambda) != count:
            raise ValueError(f"Expected {count} lr_lambdas, but got {len(lr_lambda)}")
        self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def state_dict(self):
        """Plain functions are left out: the program defines them again. Callable objects are kept by their
        attributes."""
        state = {name: value for name, value in self.__dict__.items() if name not in ("optimizer",
                                                                                      "lr_lambdas")}
        state["lr_lambdas"] = [
            None if isinstance(f, types.FunctionType) else dict(f.__dict__) for f in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict):
        state = dict(state_dict)
        kept = state.pop("lr_lambdas")
        self.__dict__.update(state)
        for function, attributes in zip(self.lr_lambdas, kept):
            if attributes is not None:
                function.__dict__.update(attributes)


class LambdaLR(_Functions):
    """base rate * lr_lambda(epoch)."""

    def get_lr(self):
        self._warn_outside_step()
        return [base * function(self.last_epoch) for base, function in zip(self.base_lrs, self.lr_lambdas)]


class MultiplicativeLR(_Functions):
    """rate before * lr_lambda(epoch)."""

    def get_lr(self):
        self._warn_outside_step()
        present = self._present()
        if self._is_initial or self.last_epoch <= 0:
            return present
        return [value * function(self.last_epoch) for value, function in zip(present, self.lr_lambdas)]
