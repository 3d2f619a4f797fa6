"""Spectral normalization by a hook, the form before parametrizations; kept for programs and state dictionaries that use it."""

from __future__ import annotations

import torch
from torch.nn import functional as F
from torch.nn.parameter import Parameter, UninitializedParameter

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from torch import Tensor
    from torch.nn import Module

    _M = TypeVar("_M", bound=Module)

__all__ = [
    "SpectralNorm", "SpectralNormLoadStateDictPreHook", "SpectralNormStateDictHook", "spectral_norm", "remove_spectral_norm",
]  # fmt: skip


class SpectralNorm:
    """The hook that divides a weight by its largest singular value before every forward.

    Args:
        name (str, default "weight"): the weight
        n_power_iterations (int, default 1): steps of power iteration at every forward in training mode
        dim (int, default 0): the dimension of the outputs
        eps (float, default 1e-12): keeps divisors from 0

    Raises:
        ValueError: `n_power_iterations` is not positive

    Example:
        >>> from torch.nn.utils.spectral_norm import SpectralNorm
        >>> m = nn.Linear(2, 3)
        >>> hook = SpectralNorm.apply(m, "weight", 1, 0, 1e-12)
        >>> list(m.state_dict())
        ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """

    _version = 1  # 1 has NAME_v; before it, v was computed from u

    def __init__(self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        if n_power_iterations <= 0:
            raise ValueError(f"spectral_norm: n_power_iterations must be positive, but got {n_power_iterations}")
        self.name, self.n_power_iterations, self.dim, self.eps = name, n_power_iterations, dim, eps

    def reshape_weight_to_matrix(self, weight: Tensor) -> Tensor:
        """The weight with dimension `dim` as rows, and everything else as columns.

        Args:
            weight (Tensor): the weight

        Returns:
            a matrix

        Example:
            >>> from torch.nn.utils.spectral_norm import SpectralNorm
            >>> SpectralNorm(dim=1).reshape_weight_to_matrix(torch.ones(2, 3, 4)).shape
            torch.Size([3, 8])
        """
        return weight.movedim(self.dim, 0).reshape(weight.size(self.dim), -1)

    def compute_weight(self, module: Module, do_power_iteration: bool) -> Tensor:
        """The weight over its largest singular value.

        Args:
            module (Module): the module
            do_power_iteration (bool): improve the estimate first

        Returns:
            the weight

        Example:
            >>> from torch.nn.utils.spectral_norm import SpectralNorm
            >>> m = nn.Linear(2, 3)
            >>> SpectralNorm.apply(m, "weight", 1, 0, 1e-12).compute_weight(m, False).shape
            torch.Size([3, 2])
        """
        weight: Any = getattr(module, self.name + "_orig")
        u: Any = getattr(module, self.name + "_u")
        v: Any = getattr(module, self.name + "_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with torch.no_grad():
                for _ in range(self.n_power_iterations):
                    # In place, so that replicas of a module share the vectors.
                    F.normalize(torch.mv(matrix.t(), u), dim=0, eps=self.eps, out=v)
                    F.normalize(torch.mv(matrix, v), dim=0, eps=self.eps, out=u)
                # The next forward changes the vectors in place, and a backward may come after it.
                u = u.clone(memory_format=torch.contiguous_format)
                v = v.clone(memory_format=torch.contiguous_format)
        return weight / torch.dot(u, torch.mv(matrix, v))

    def _solve_v_and_rescale(self, weight_mat: Tensor, u: Tensor, target_sigma: Tensor) -> Tensor:
        """v with `u @ W @ v == target_sigma`, where `u` is that of the left singular vector."""
        v = torch.linalg.multi_dot([weight_mat.t().mm(weight_mat).pinverse(), weight_mat.t(), u.unsqueeze(1)]).squeeze(1)
        return v.mul_(target_sigma / torch.dot(u, torch.mv(weight_mat, v)))

    def remove(self, module: Module) -> None:
        """Makes the weight a parameter again.

        Args:
            module (Module): the module

        Example:
            >>> from torch.nn.utils.spectral_norm import SpectralNorm
            >>> m = nn.Linear(2, 3)
            >>> SpectralNorm.apply(m, "weight", 1, 0, 1e-12).remove(m)
            >>> list(m.state_dict())
            ['bias', 'weight']
        """
        with torch.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        delattr(module, self.name)
        for ending in ("_u", "_v", "_orig"):
            delattr(module, self.name + ending)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    @staticmethod
    def apply(module: Module, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Adds the hook to a module, with the buffers it needs.

        Args:
            module (Module): the module
            name (str): the weight
            n_power_iterations (int): steps of power iteration at every forward in training mode
            dim (int): the dimension of the outputs
            eps (float): keeps divisors from 0

        Returns:
            the hook

        Raises:
            RuntimeError: the weight has such a hook already
            ValueError: there is no such weight, or it has no shape yet

        Example:
            >>> from torch.nn.utils.spectral_norm import SpectralNorm
            >>> hook = SpectralNorm.apply(nn.Linear(2, 3), "weight", 1, 0, 1e-12)
        """
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == name:
                raise RuntimeError(f"spectral_norm: '{name}' of {type(module).__name__} is normalized already")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"spectral_norm: '{name}' of {type(module).__name__} is None")
        if isinstance(weight, UninitializedParameter):
            raise ValueError(f"spectral_norm: '{name}' has no shape yet; run a forward first")
        with torch.no_grad():
            matrix = hook.reshape_weight_to_matrix(weight)
            rows, columns = matrix.size()
            u = F.normalize(weight.new_empty(rows).normal_(0, 1), dim=0, eps=eps)
            v = F.normalize(weight.new_empty(columns).normal_(0, 1), dim=0, eps=eps)
        del module._parameters[name]
        module.register_parameter(name + "_orig", weight)
        # A plain tensor: a parameter here would be trained and saved, and a property would need a class of its own.
        setattr(module, name, weight.data)
        module.register_buffer(name + "_u", u)
        module.register_buffer(name + "_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormLoadStateDictPreHook:
    """Reads state dictionaries of versions that saved the weight but not `v`.

    Args:
        fn (SpectralNorm): the hook of the weight

    Example:
        >>> from torch.nn.utils.spectral_norm import SpectralNorm, SpectralNormLoadStateDictPreHook
        >>> hook = SpectralNormLoadStateDictPreHook(SpectralNorm())
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self, state_dict: Any, prefix: str, local_metadata: Any, strict: bool, missing_keys: list[str], *rest: Any
    ) -> None:  # fmt: skip
        fn = self.fn
        version = local_metadata.get("spectral_norm", {}).get(fn.name + ".version")
        if version is not None and version >= 1:
            return
        key = prefix + fn.name
        needed = [key + "_orig", key + "_u", key]
        if version is None and key + "_v" in state_dict and all(name in state_dict for name in needed[:2]):
            return
        for name in needed:
            if name not in state_dict:
                if strict:
                    missing_keys.append(name)
                return
        with torch.no_grad():
            original, weight = state_dict[key + "_orig"], state_dict.pop(key)
            sigma = (original / weight).mean()
            matrix = fn.reshape_weight_to_matrix(original)
            state_dict[key + "_v"] = fn._solve_v_and_rescale(matrix, state_dict[key + "_u"], sigma)


class SpectralNormStateDictHook:
    """Marks a state dictionary with the version of its entries.

    Args:
        fn (SpectralNorm): the hook of the weight

    Example:
        >>> m = nn.utils.spectral_norm(nn.Linear(2, 3))
        >>> m.state_dict()._metadata[""]["spectral_norm"]
        {'weight.version': 1}
    """

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Module, state_dict: Any, prefix: str, local_metadata: Any) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = self.fn.name + ".version"
        if key in versions:
            raise RuntimeError(f"spectral_norm: the metadata of the state dictionary has '{key}' already")
        versions[key] = self.fn._version


def spectral_norm(
    module: _M, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> _M:  # fmt: skip
    """Divides a weight by its largest singular value, by a hook; `nn.utils.parametrizations.spectral_norm` is its new form.

    The parameter is NAME_orig; the attribute NAME is computed before every forward.

    Args:
        module (_M): the module
        name (str, default "weight"): the weight
        n_power_iterations (int, default 1): steps of power iteration at every forward in training mode
        eps (float, default 1e-12): keeps divisors from 0
        dim (int or None): the dimension of the outputs; None: 1 for transposed convolutions, else 0

    Returns:
        the module

    Raises:
        RuntimeError: the weight is normalized already

    Example:
        >>> m = nn.utils.spectral_norm(nn.Linear(20, 40))
        >>> m.weight_u.shape
        torch.Size([40])
    """
    if dim is None:
        dim = int(isinstance(module, (torch.nn.ConvTranspose1d, torch.nn.ConvTranspose2d, torch.nn.ConvTranspose3d)))
    SpectralNorm.apply(module, name, n_power_iterations, dim, eps)
    return module


def remove_spectral_norm(module: _M, name: str = "weight") -> _M:
    """Undoes `spectral_norm`: the weight is a parameter again, with its present value.

    Args:
        module (_M): the module
        name (str, default "weight"): the weight

    Returns:
        the module

    Raises:
        ValueError: the weight is not normalized

    Example:
        >>> m = nn.utils.remove_spectral_norm(nn.utils.spectral_norm(nn.Linear(2, 3)))
        >>> list(m.state_dict())
        ['bias', 'weight']
    """
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            break
    else:
        raise ValueError(f"remove_spectral_norm: {type(module).__name__} has no normalized weight with name '{name}'")
    for hooks, kind in (
        (module._state_dict_hooks, SpectralNormStateDictHook),
        (module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook),
    ):
        for key, hook in hooks.items():
            if isinstance(hook, kind) and hook.fn.name == name:
                del hooks[key]
                break
    return module
