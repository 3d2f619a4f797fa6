"""Pruning: a mask that sets parts of a parameter to 0, kept apart from the parameter so that it can be changed and undone."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable

import torch

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from typing_extensions import Self

    from torch import Tensor
    from torch.nn import Module

    _M = TypeVar("_M", bound=Module)

__all__ = [
    "BasePruningMethod", "CustomFromMask", "Identity", "L1Unstructured", "LnStructured", "PruningContainer", "RandomStructured",
    "RandomUnstructured", "custom_from_mask", "global_unstructured", "identity", "is_pruned", "l1_unstructured", "ln_structured",
    "random_structured", "random_unstructured", "remove",
]  # fmt: skip


class BasePruningMethod(ABC):
    """The base of the pruning methods: a hook that multiplies a parameter by a mask before every forward.

    A subclass sets PRUNING_TYPE and defines `compute_mask`. The parameter is kept as NAME_orig, the mask as the buffer NAME_mask.

    Attributes:
        PRUNING_TYPE: 'unstructured' (single elements), 'structured' (slices) or 'global'; says which part of a tensor that is
            pruned already a further pruning looks at

    Example:
        >>> class EveryOther(nn.utils.prune.BasePruningMethod):
        ...     PRUNING_TYPE = "unstructured"
        ...     def compute_mask(self, t, default_mask):
        ...         mask = default_mask.clone()
        ...         mask.view(-1)[::2] = 0
        ...         return mask
        >>> m = nn.Linear(2, 2)
        >>> hook = EveryOther.apply(m, "weight")
        >>> m.weight_mask
        tensor([[0., 1.],
                [0., 1.]])
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for a tensor; a subclass defines it.

        Args:
            t (Tensor): the importance of every element
            default_mask (Tensor): the mask so far; what is 0 in it stays 0

        Returns:
            the mask, in the shape of `t`

        Example:
            >>> nn.utils.prune.L1Unstructured(1).compute_mask(torch.tensor([3., 1.]), torch.ones(2))
            tensor([1., 0.])
        """

    def apply_mask(self, module: Module) -> Tensor:
        """The parameter of a module times its mask.

        Args:
            module (Module): the module

        Returns:
            the product

        Example:
            >>> m = nn.Linear(2, 2)
            >>> hook = nn.utils.prune.L1Unstructured.apply(m, "weight", amount=4)
            >>> hook.apply_mask(m).count_nonzero().item()
            0
        """
        if getattr(self, "_tensor_name", None) is None:
            raise AssertionError(f"the module {module} has not been pruned by this method")
        mask: Any = getattr(module, self._tensor_name + "_mask")
        original: Any = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Module, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any) -> Any:
        """Prunes a parameter, on top of a pruning that it may have, and adds the hook.

        Args:
            module (Module): the module
            name (str): the parameter
            importance_scores (Tensor or None): what `compute_mask` looks at; None: the parameter
            *args (Any): arguments of the method's constructor
            **kwargs (Any): arguments of the method's constructor

        Returns:
            the hook: a PruningContainer, where the parameter was pruned before

        Raises:
            AssertionError: `importance_scores` has another shape than the parameter

        Example:
            >>> m = nn.Linear(2, 2)
            >>> hook = nn.utils.prune.L1Unstructured.apply(m, "weight", amount=3)
            >>> m.weight.count_nonzero().item()
            1
        """
        found = _hook_of(module, name)
        method: BasePruningMethod = cls(*args, **kwargs)
        method._tensor_name = name
        if found is not None:
            key, before = found
            del module._forward_pre_hooks[key]
            container = before if isinstance(before, PruningContainer) else PruningContainer(before)
            container.add_pruning_method(method)
            method = container
        original: Any = getattr(module, name)
        scores = original if importance_scores is None else importance_scores
        if scores.shape != original.shape:
            raise AssertionError(
                f"importance_scores must have the shape of '{name}', {tuple(original.shape)}, but got {tuple(scores.shape)}"
            )
        if found is None:
            module.register_parameter(name + "_orig", original)
            del module._parameters[name]
            default_mask = torch.ones_like(original)
        else:
            held: Any = getattr(module, name + "_mask")
            default_mask = held.detach().clone(memory_format=torch.contiguous_format)
        try:
            with torch.no_grad():
                mask = method.compute_mask(scores, default_mask=default_mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if found is None:
                module.register_parameter(name, module._parameters.pop(name + "_orig"))
            raise
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """A pruned tensor, without a module.

        Args:
            t (Tensor): the tensor
            default_mask (Tensor or None): a mask so far; None: nothing is pruned yet
            importance_scores (Tensor or None): what `compute_mask` looks at; None: the tensor

        Returns:
            `t` times the mask

        Example:
            >>> nn.utils.prune.L1Unstructured(amount=1).prune(torch.tensor([3., 1., 2.]))
            tensor([3., 0., 2.])
        """
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError(f"importance_scores must have the shape {tuple(t.shape)}, but got {tuple(scores.shape)}")
        return t * self.compute_mask(scores, default_mask=torch.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Module) -> None:
        """Makes the pruned values the parameter, and removes the mask; the caller removes the hook.

        Args:
            module (Module): the module

        Example:
            >>> m = nn.Linear(2, 2)
            >>> nn.utils.prune.L1Unstructured.apply(m, "weight", amount=4).remove(m)
            >>> m.weight.count_nonzero().item(), list(m.state_dict())
            (0, ['bias', 'weight'])
        """
        name = self._tensor_name
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original: Any = module._parameters.pop(name + "_orig")
        original.data = pruned.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


def _hook_of(module: Module, name: str) -> tuple[int, BasePruningMethod] | None:
    """The hook that prunes a parameter, with its key."""
    found = [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]
    if len(found) > 1:
        raise AssertionError(f"'{name}' has {len(found)} pruning hooks, but may have one only: use a PruningContainer")
    return found[0] if found else None


class PruningContainer(BasePruningMethod):
    """Several pruning methods of one parameter, applied one after the other.

    Args:
        *args (BasePruningMethod): the methods

    Raises:
        TypeError: one of them is no pruning method
        ValueError: they prune different parameters

    Example:
        >>> m = nn.utils.prune.l1_unstructured(nn.Linear(4, 4), "weight", amount=2)
        >>> m = nn.utils.prune.l1_unstructured(m, "weight", amount=3)
        >>> [type(method).__name__ for method in list(m._forward_pre_hooks.values())[0]]
        ['L1Unstructured', 'L1Unstructured']
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[BasePruningMethod, ...] = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: BasePruningMethod | None) -> None:
        """Adds a method, to be applied after the others.

        Args:
            method (BasePruningMethod or None): the method

        Example:
            >>> container, method = nn.utils.prune.PruningContainer(), nn.utils.prune.L1Unstructured(1)
            >>> container._tensor_name = method._tensor_name = "weight"
            >>> container.add_pruning_method(method)
            >>> len(container)
            1
        """
        if method is None:
            return
        if not isinstance(method, BasePruningMethod):
            raise TypeError(f"a pruning method is a BasePruningMethod, but got {type(method)}")
        if self._tensor_name != method._tensor_name:
            raise ValueError(
                f"a PruningContainer prunes one tensor: it prunes '{self._tensor_name}', the method '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask so far, with what the last method prunes in the part that is left.

        Args:
            t (Tensor): the importance of every element
            default_mask (Tensor): the mask so far

        Returns:
            the mask

        Example:
            >>> method = nn.utils.prune.L1Unstructured(1)
            >>> method._tensor_name = "weight"
            >>> container = nn.utils.prune.PruningContainer(method)
            >>> container.compute_mask(torch.tensor([1., 2., 3.]), torch.tensor([0., 1., 1.]))
            tensor([0., 0., 1.])
        """
        method = self._pruning_methods[-1]
        mask = default_mask.to(dtype=t.dtype).clone()
        part = _part_left(method, t, mask)
        mask[part] = method.compute_mask(t[part], default_mask=mask[part]).to(dtype=mask.dtype)
        return mask


def _part_left(method: BasePruningMethod, t: Tensor, mask: Tensor) -> Any:
    """The index of what is not pruned yet, in the unit that the method prunes."""
    if method.PRUNING_TYPE == "unstructured":
        return mask == 1
    if method.PRUNING_TYPE == "global":
        return (slice(None),) * t.dim()
    if method.PRUNING_TYPE != "structured":
        raise ValueError(f"PRUNING_TYPE is 'unstructured', 'structured' or 'global', but got {method.PRUNING_TYPE!r}")
    if not hasattr(method, "dim"):
        raise AttributeError(f"{type(method).__name__} prunes slices, so it needs an attribute 'dim'")
    dim = method.dim % t.dim()
    kept = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    return tuple(kept if d == dim else slice(None) for d in range(t.dim()))


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask.

    Example:
        >>> nn.utils.prune.Identity().prune(torch.ones(2))
        tensor([1., 1.])
    """

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        return default_mask

    @classmethod
    def apply(cls, module: Module, name: str) -> Self:
        return super().apply(module, name)


class RandomUnstructured(BasePruningMethod):
    """Prunes elements at random.

    Args:
        amount (int or float): how many; a float is a share

    Example:
        >>> nn.utils.prune.RandomUnstructured(0.5).prune(torch.ones(4)).sum().item()
        2.0
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = _count_of(self.amount, t.nelement())
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        if count:
            mask.view(-1)[torch.topk(torch.rand_like(t).view(-1), k=count).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Module, name: str, amount: float) -> Any:
        return super().apply(module, name, amount=amount)


class L1Unstructured(BasePruningMethod):
    """Prunes the elements of the smallest magnitude.

    Args:
        amount (int or float): how many; a float is a share

    Example:
        >>> nn.utils.prune.L1Unstructured(2).prune(torch.tensor([-3., 1., 2., 5.]))
        tensor([-3.,  0.,  0.,  5.])
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        count = _count_of(self.amount, t.nelement())
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        if count:
            mask.view(-1)[torch.topk(torch.abs(t).reshape(-1), k=count, largest=False).indices] = 0
        return mask

    @classmethod
    def apply(cls, module: Module, name: str, amount: float, importance_scores: Tensor | None = None) -> Any:
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod):
    """Prunes slices at random.

    Args:
        amount (int or float): how many; a float is a share
        dim (int, default -1): the dimension of which slices are pruned

    Example:
        >>> nn.utils.prune.RandomStructured(1, dim=0).prune(torch.ones(3, 2)).sum().item()
        4.0
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount, self.dim = amount, dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        count = _count_of(self.amount, t.shape[self.dim])
        if count == 0:
            return default_mask
        chances = torch.rand(t.shape[self.dim])
        kept = chances > torch.kthvalue(chances, k=count).values
        return _slices(t, self.dim, kept) * default_mask.to(dtype=t.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, amount: float, dim: int = -1) -> Any:
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Prunes the slices of the smallest norm.

    Args:
        amount (int or float): how many; a float is a share
        n (int, float, inf, -inf, 'fro' or 'nuc'): the norm, as `torch.norm` takes it
        dim (int, default -1): the dimension of which slices are pruned

    Example:
        >>> nn.utils.prune.LnStructured(1, n=2, dim=0).prune(torch.tensor([[1., 2.], [0., 1.]]))
        tensor([[1., 2.],
                [0., 0.]])
    """

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount, self.n, self.dim = amount, n, dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _count_of(self.amount, size)
        kept = torch.topk(_compute_norm(t, self.n, self.dim), k=size - count, largest=True).indices
        return default_mask if count == 0 else _slices(t, self.dim, kept) * default_mask.to(dtype=t.dtype)

    @classmethod
    def apply(
        cls, module: Module, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
    ) -> Any:  # fmt: skip
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given.

    Args:
        mask (Tensor): 0 where an element is pruned

    Example:
        >>> nn.utils.prune.CustomFromMask(torch.tensor([1, 0])).prune(torch.tensor([5., 6.]))
        tensor([5., 0.])
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"the mask must have the shape of the tensor, {tuple(default_mask.shape)}, but got {tuple(self.mask.shape)}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Module, name: str, mask: Tensor) -> Any:
        return super().apply(module, name, mask=mask)


def _slices(t: Tensor, dim: int, kept: Tensor) -> Tensor:
    """A mask of 1 in the slices `kept`."""
    mask = torch.zeros_like(t)
    index: list[Any] = [slice(None)] * t.dim()
    index[dim] = kept
    mask[tuple(index)] = 1
    return mask


def identity(module: _M, name: str) -> _M:
    """Gives a parameter the form of a pruned one, without pruning anything.

    Args:
        module (_M): the module
        name (str): the parameter

    Returns:
        the module

    Example:
        >>> m = nn.utils.prune.identity(nn.Linear(2, 3), "bias")
        >>> m.bias_mask
        tensor([1., 1., 1.])
    """
    Identity.apply(module, name)
    return module


def random_unstructured(module: _M, name: str, amount: float) -> _M:
    """Prunes elements of a parameter at random.

    Args:
        module (_M): the module
        name (str): the parameter
        amount (int or float): how many; a float is a share

    Returns:
        the module

    Example:
        >>> m = nn.utils.prune.random_unstructured(nn.Linear(2, 3), "weight", amount=1)
        >>> m.weight_mask.sum().item()
        5.0
    """
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: _M, name: str, amount: float, importance_scores: Tensor | None = None) -> _M:
    """Prunes the elements of a parameter with the smallest magnitude.

    Args:
        module (_M): the module
        name (str): the parameter
        amount (int or float): how many; a float is a share
        importance_scores (Tensor or None): numbers to compare in the place of the parameter's

    Returns:
        the module

    Example:
        >>> m = nn.utils.prune.l1_unstructured(nn.Linear(2, 3), "weight", amount=0.5)
        >>> sorted(m.state_dict())
        ['bias', 'weight_mask', 'weight_orig']
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: _M, name: str, amount: float, dim: int) -> _M:
    """Prunes slices of a parameter at random.

    Args:
        module (_M): the module
        name (str): the parameter
        amount (int or float): how many; a float is a share
        dim (int): the dimension of which slices are pruned

    Returns:
        the module

    Example:
        >>> m = nn.utils.prune.random_structured(nn.Linear(5, 3), "weight", amount=3, dim=1)
        >>> int((m.weight.abs().sum(0) == 0).sum())
        3
    """
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: _M, name: str, amount: float, n: Any, dim: int, importance_scores: Tensor | None = None
) -> _M:  # fmt: skip
    """Prunes the slices of a parameter with the smallest norm.

    Args:
        module (_M): the module
        name (str): the parameter
        amount (int or float): how many; a float is a share
        n (int, float, inf, -inf, 'fro' or 'nuc'): the norm, as `torch.norm` takes it
        dim (int): the dimension of which slices are pruned
        importance_scores (Tensor or None): numbers to compare in the place of the parameter's

    Returns:
        the module

    Example:
        >>> m = nn.utils.prune.ln_structured(nn.Conv2d(5, 3, 2), "weight", amount=0.3, dim=1, n=float("-inf"))
        >>> int((m.weight_mask.sum((0, 2, 3)) == 0).sum())
        2
    """
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module: _M, name: str, mask: Tensor) -> _M:
    """Prunes a parameter by a mask.

    Args:
        module (_M): the module
        name (str): the parameter
        mask (Tensor): 0 where an element is pruned

    Returns:
        the module

    Example:
        >>> m = nn.utils.prune.custom_from_mask(nn.Linear(5, 3), "bias", mask=torch.tensor([0, 1, 0]))
        >>> m.bias_mask
        tensor([0., 1., 0.])
    """
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(
    parameters: Iterable[tuple[Module, str]], pruning_method: type[BasePruningMethod],
    importance_scores: dict[tuple[Module, str], Tensor] | None = None, **kwargs: Any,
) -> None:  # fmt: skip
    """Prunes several parameters as if they were one, so that each loses as much as its elements deserve.

    Args:
        parameters (Iterable[tuple[Module, str]]): modules, and names of their parameters
        pruning_method (type[BasePruningMethod]): a method that prunes single elements
        importance_scores (dict or None): numbers to compare in the place of a parameter's, by (module, name)
        **kwargs (Any): arguments of the method's constructor: `amount`

    Raises:
        TypeError: an argument has the wrong type, or the method prunes slices

    Example:
        >>> net = nn.Sequential(nn.Linear(10, 4), nn.Linear(4, 1))
        >>> prune = nn.utils.prune
        >>> prune.global_unstructured([(net[0], "weight"), (net[1], "weight")], prune.L1Unstructured, amount=10)
        >>> int(sum((module.weight_mask == 0).sum() for module in net))
        10
    """
    if not isinstance(parameters, Iterable):
        raise TypeError(f"global_unstructured: parameters is an iterable of (module, name), but got {type(parameters)}")
    given = {} if importance_scores is None else importance_scores
    if not isinstance(given, dict):
        raise TypeError(f"global_unstructured: importance_scores is a dictionary by (module, name), but got {type(given)}")
    places = list(parameters)
    tensors: list[Any] = [getattr(module, name) for module, name in places]
    scores = torch.cat([given.get(place, tensor).reshape(-1) for place, tensor in zip(places, tensors)])
    masks: list[Any] = [
        getattr(module, name + "_mask", torch.ones_like(tensor)) for (module, name), tensor in zip(places, tensors)
    ]
    container, method = PruningContainer(), pruning_method(**kwargs)
    container._tensor_name = method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f"global_unstructured: the method must prune single elements, but {pruning_method.__name__} is of the type "
            f"'{method.PRUNING_TYPE}'"
        )
    mask = container.compute_mask(scores, torch.cat([mask.reshape(-1) for mask in masks]))
    for (module, name), tensor, part in zip(places, tensors, mask.split([tensor.numel() for tensor in tensors])):
        custom_from_mask(module, name, mask=part.view_as(tensor))


def remove(module: _M, name: str) -> _M:
    """Ends the pruning of a parameter: it keeps the pruned values, and can be trained as a whole again.

    Args:
        module (_M): the module
        name (str): the parameter

    Returns:
        the module

    Raises:
        ValueError: the parameter is not pruned

    Example:
        >>> m = nn.utils.prune.random_unstructured(nn.Linear(5, 7), "weight", amount=0.2)
        >>> sorted(nn.utils.prune.remove(m, "weight").state_dict())
        ['bias', 'weight']
    """
    found = _hook_of(module, name)
    if found is None:
        raise ValueError(f"remove: '{name}' of {type(module).__name__} is not pruned")
    key, hook = found
    hook.remove(module)
    del module._forward_pre_hooks[key]
    return module


def is_pruned(module: Module) -> bool:
    """Whether a parameter of a module, or of one below it, is pruned.

    Args:
        module (Module): the module

    Returns:
        whether it is

    Example:
        >>> m = nn.Linear(5, 7)
        >>> nn.utils.prune.is_pruned(m), nn.utils.prune.is_pruned(nn.utils.prune.identity(m, "bias"))
        (False, True)
    """
    return any(isinstance(hook, BasePruningMethod) for child in module.modules() for hook in child._forward_pre_hooks.values())


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"amount is an int or a float, but got {amount!r} of type {type(amount)}")
    if amount < 0 or not isinstance(amount, numbers.Integral) and amount > 1.0:
        raise ValueError(f"amount is a number of 0 or more, or a share from 0.0 to 1.0, but got {amount}")


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and amount > tensor_size:
        raise ValueError(f"amount={amount} is more than there is to prune, {tensor_size}")


def _validate_structured_pruning(t: Tensor) -> None:
    if t.dim() <= 1:
        raise ValueError(f"slices can be pruned from a tensor of 2 or more dimensions, but got the shape {tuple(t.shape)}")


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


def _count_of(amount: Any, tensor_size: int) -> int:
    count = _compute_nparams_toprune(amount, tensor_size)
    _validate_pruning_amount(count, tensor_size)
    return count


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    if not -t.dim() <= dim < t.dim():
        raise IndexError(f"dim={dim} is out of range for a tensor of the shape {tuple(t.shape)}")


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    """The norm of every slice of `dim`."""
    others = [d for d in range(t.dim()) if d != dim % t.dim()]
    return torch.norm(t, p=n, dim=others)
