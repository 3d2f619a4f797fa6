"""Which modules FullyShardedDataParallel wraps on their own."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch import nn


def always_wrap_policy(*args: Any, **kwargs: Any) -> bool:
    """A policy that wraps every module.

    Example:
        >>> torch.distributed.fsdp.wrap.always_wrap_policy()
        True
    """
    return True


def lambda_auto_wrap_policy(module: nn.Module, recurse: bool, nonwrapped_numel: int, lambda_fn: Callable[[nn.Module], bool]
                            ) -> bool:  # fmt: skip
    """A policy that asks a function.

    Args:
        module (Module): the module
        recurse (bool): whether the question is if modules inside are looked at
        nonwrapped_numel (int): parameters' elements that are not wrapped
        lambda_fn (Callable): takes a module, and says whether it is wrapped

    Example:
        >>> torch.distributed.fsdp.wrap.lambda_auto_wrap_policy(None, True, 0, None)
        True
    """
    return True if recurse else lambda_fn(module)


def transformer_auto_wrap_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, transformer_layer_cls: Iterable[type[nn.Module]]
) -> bool:  # fmt: skip
    """A policy that wraps modules of some classes.

    Args:
        module (Module): the module
        recurse (bool): whether the question is if modules inside are looked at
        nonwrapped_numel (int): parameters' elements that are not wrapped
        transformer_layer_cls (set of type): the classes

    Example:
        >>> torch.distributed.fsdp.wrap.transformer_auto_wrap_policy(nn.ReLU(), False, 0, {nn.Linear})
        False
    """
    return True if recurse else isinstance(module, tuple(transformer_layer_cls))


def size_based_auto_wrap_policy(
    module: nn.Module, recurse: bool, nonwrapped_numel: int, min_num_params: int = 100_000_000,
    force_leaf_modules: set[type[nn.Module]] | None = None, exclude_wrap_modules: set[type[nn.Module]] | None = None,
) -> bool:  # fmt: skip
    """A policy that wraps modules with many parameters.

    Args:
        module (Module): the module
        recurse (bool): whether the question is if modules inside are looked at
        nonwrapped_numel (int): parameters' elements that are not wrapped
        min_num_params (int, default 100000000): how many elements are many
        force_leaf_modules (set of type, optional): classes inside of which nothing is wrapped
        exclude_wrap_modules (set of type, optional): classes that are not wrapped

    Example:
        >>> torch.distributed.fsdp.wrap.size_based_auto_wrap_policy(nn.ReLU(), False, 10, min_num_params=5)
        True
    """
    leaves = (nn.MultiheadAttention,) if force_leaf_modules is None else tuple(force_leaf_modules)
    excluded = (nn.ModuleList, nn.ModuleDict) if exclude_wrap_modules is None else tuple(exclude_wrap_modules)
    if recurse:
        return nonwrapped_numel >= min_num_params and not isinstance(module, leaves)
    return nonwrapped_numel >= min_num_params and not isinstance(module, excluded)


class _Policy:
    """Which modules are wrapped, with their settings."""

    def _run_policy(self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]
                    ) -> dict[nn.Module, dict[str, Any]]:  # fmt: skip
        raise NotImplementedError


class ModuleWrapPolicy(_Policy):
    """Wraps modules of some classes.

    Args:
        module_classes (iterable of type): the classes

    Example:
        >>> torch.distributed.fsdp.wrap.ModuleWrapPolicy({nn.Linear})(nn.ReLU(), False)
        False
    """

    def __init__(self, module_classes: Iterable[type[nn.Module]]) -> None:
        self._module_classes = set(module_classes)

    def _run_policy(self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]
                    ) -> dict[nn.Module, dict[str, Any]]:  # fmt: skip
        return {
            m: dict(root_kwargs) for m in root_module.modules()
            if isinstance(m, tuple(self._module_classes)) and m not in ignored_modules
        }  # fmt: skip

    def __call__(self, module: nn.Module, recurse: bool, *args: Any, **kwargs: Any) -> bool:
        return True if recurse else isinstance(module, tuple(self._module_classes))


class CustomPolicy(_Policy):
    """Asks a function, which may return other settings for a module.

    Args:
        lambda_fn (Callable): takes a module, and returns whether it is wrapped, or a dict of settings

    Example:
        >>> isinstance(torch.distributed.fsdp.wrap.CustomPolicy(lambda module: False), object)
        True
    """

    def __init__(self, lambda_fn: Callable[[nn.Module], bool | dict[str, Any]]) -> None:
        self._lambda_fn = lambda_fn

    def _run_policy(self, root_module: nn.Module, ignored_modules: set[nn.Module], root_kwargs: dict[str, Any]
                    ) -> dict[nn.Module, dict[str, Any]]:  # fmt: skip
        found = {}
        for m in root_module.modules():
            answer = self._lambda_fn(m) if m not in ignored_modules else False
            if not isinstance(answer, (bool, dict)):
                raise ValueError(f"CustomPolicy: the function returned {answer!r}, expected a bool or a dict")
            if answer or isinstance(answer, dict):
                found[m] = {**root_kwargs, **(answer if isinstance(answer, dict) else {})}
        return found


def _replace(module: nn.Module, chosen: Callable[[nn.Module], Any], make: Callable[..., nn.Module]) -> None:
    """Replaces modules inside, inner ones first. `chosen` gives settings, or None."""
    for name, child in list(module.named_children()):
        settings = chosen(child)
        _replace(child, chosen, make)
        if settings is not None:
            module._modules[name] = make(child, **settings)


def _auto_wrap(
    root: nn.Module, policy: Any, ignored_modules: set[nn.Module], kwargs: dict[str, Any], make: Callable[..., nn.Module]
) -> None:  # fmt: skip
    """Wraps the modules inside of `root` that a policy chooses."""
    if isinstance(policy, _Policy):
        found = policy._run_policy(root, ignored_modules, kwargs)
        _replace(root, lambda m: found.get(m), make)
        return

    def visit(module: nn.Module) -> int:
        """Wraps inside of `module`, and returns how many elements are wrapped."""
        wrapped = 0
        for name, child in list(module.named_children()):
            if child in ignored_modules:
                continue
            total = _numel(child)
            inside = visit(child) if policy(module=child, recurse=True, nonwrapped_numel=total) else 0
            if policy(module=child, recurse=False, nonwrapped_numel=total - inside) and not hasattr(child, "_fsdp_state"):
                module._modules[name] = make(child, **kwargs)
                inside = total
            wrapped += inside
        return wrapped

    if policy(module=root, recurse=True, nonwrapped_numel=_numel(root)):
        visit(root)


def _numel(module: nn.Module) -> int:
    return sum(p.numel() for p in module.parameters())


def _or_policy(module: nn.Module, recurse: bool, nonwrapped_numel: int, policies: Iterable[Callable[..., bool]]) -> bool:
    return any(policy(module=module, recurse=recurse, nonwrapped_numel=nonwrapped_numel) for policy in policies)


_settings: list[tuple[Any, dict[str, Any]]] = []


@contextlib.contextmanager
def enable_wrap(*, wrapper_cls: Any, **wrapper_kwargs: Any) -> Iterator[None]:
    """A block in which `wrap` wraps modules.

    Args:
        wrapper_cls (type): the class that wraps, such as FullyShardedDataParallel
        **wrapper_kwargs (Any): its settings

    Example:
        >>> with torch.distributed.fsdp.wrap.enable_wrap(wrapper_cls=nn.Sequential):
        ...     torch.distributed.fsdp.wrap.wrap(nn.ReLU())
        Sequential(
          (0): ReLU()
        )
    """
    _settings.append((wrapper_cls, wrapper_kwargs))
    try:
        yield
    finally:
        _settings.pop()


def wrap(module: nn.Module, **wrap_overrides: Any) -> nn.Module:
    """The module wrapped by the class of the block around the call, or as it is outside of a block.

    Args:
        module (Module): the module
        **wrap_overrides (Any): settings

    Example:
        >>> torch.distributed.fsdp.wrap.wrap(nn.ReLU())
        ReLU()
    """
    if not _settings:
        return module
    cls, kwargs = _settings[-1]
    return cls(module, **{**kwargs, **wrap_overrides})


__all__ = [
    "always_wrap_policy", "lambda_auto_wrap_policy", "transformer_auto_wrap_policy", "size_based_auto_wrap_policy", "enable_wrap",
    "wrap", "CustomPolicy", "ModuleWrapPolicy",
]  # fmt: skip
