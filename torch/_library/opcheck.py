"""opcheck: tests whether an operator does what it was registered as."""

from __future__ import annotations

from typing import Any

import torch
from torch import _C, library
from torch._library.utils import lookup_op, tensors_in
from torch.utils import _pytree as pytree


def opcheck(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, *,
            test_utils: Any = ("test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"),
            raise_exception: bool = True, atol: float | None = None, rtol: float | None = None) -> dict[str, Any]:  # fmt: skip
    """Test whether an operator does what it was registered as, by calling it with examples.

    "test_schema": it changes the arguments that the schema says, and its results share no memory with others.
    "test_autograd_registration": its derivative is registered for the autograd keys. "test_faketensor": what is registered by
    `register_fake` agrees with the kernel. "test_aot_dispatch_static" and "test_aot_dispatch_dynamic": graphs of the operator and
    of its gradients, recorded on tensors without data, compute what the operator does; in the second one, sizes are symbols.

    Args:
        op (str, OpOverload or CustomOpDef): the operator
        args (tuple): positional arguments
        kwargs (dict, optional): keyword arguments
        test_utils (str or Sequence[str]): the tests
        raise_exception (bool, default True): raise the first error
        atol (float, optional): how far values of a recorded graph may be off
        rtol (float, optional): the same, relative to the values

    Returns:
        {test: "SUCCESS" or the error}

    Raises:
        ValueError: an unknown test

    Example:
        >>> @torch.library.custom_op("docs_check::twice", mutates_args=())
        ... def twice(x: torch.Tensor) -> torch.Tensor:
        ...     return 2 * x
        >>> torch.library.opcheck(twice, (torch.ones(2),), test_utils="test_schema")
        {'test_schema': 'SUCCESS'}
    """
    overload = lookup_op(library._name(op)) if not isinstance(op, torch._ops.OpOverload) else op
    names = (test_utils,) if isinstance(test_utils, str) else tuple(test_utils)
    found: dict[str, Any] = {}
    for name in names:
        if name not in _TESTS and name not in _RECORDED:
            raise ValueError(f"opcheck: there is no test {name!r}; there are {', '.join((*_TESTS, *_RECORDED))}")
        try:
            if name in _RECORDED:
                _test_recorded(overload, args, kwargs or {}, _RECORDED[name], {"atol": atol, "rtol": rtol})
            else:
                _TESTS[name](overload, args, kwargs or {})
            found[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck({overload}): {name} failed: {error}") from error
            found[name] = error
    return found


class OpCheckError(Exception):
    """A test of opcheck failed."""


def _copies(value: Any) -> Any:
    """The arguments of a call that may change them."""

    def copy(leaf: Any) -> Any:
        return leaf.detach().clone().requires_grad_(leaf.requires_grad) if isinstance(leaf, torch.Tensor) else leaf

    return pytree.tree_map(copy, value)


def _test_schema(op: Any, args: Any, kwargs: Any) -> None:
    """It changes what the schema says, and nothing else; results share memory only where the schema says so."""
    given, named = _copies((args, kwargs))
    before = _copies((given, named))
    with torch.no_grad():
        result = op(*given, **named)
    allowed = set()
    for k, argument in enumerate(op._schema.arguments):
        now = given[k] if k < len(given) else named.get(argument.name)
        old = before[0][k] if k < len(before[0]) else before[1].get(argument.name)
        for new, former in zip(tensors_in(now), tensors_in(old)):
            if argument.is_write:
                allowed.add(new.untyped_storage()._cdata)
            elif not torch.equal(torch.nan_to_num(new), torch.nan_to_num(former)):
                raise RuntimeError(f"the argument {argument.name} was changed, but the schema {op._schema} does not say so")
    if any("(" in str(each.type) for each in op._schema.returns):
        return
    inputs = {t.untyped_storage()._cdata for t in tensors_in((given, named)) if t.numel()}
    for tensor in tensors_in(result):
        if tensor.untyped_storage()._cdata in inputs - allowed and not _is_view(op):
            raise RuntimeError(f"a result shares memory with an argument, but the schema {op._schema} does not say so")


def _is_view(op: Any) -> bool:
    return any("(" in str(argument.type) and not argument.is_write for argument in op._schema.arguments)


def _test_autograd_registration(op: Any, args: Any, kwargs: Any) -> None:
    """The derivative is a kernel at an autograd key, and not a part of a kernel below."""
    tensors = [t for t in tensors_in((args, kwargs)) if t.requires_grad]
    if not tensors:
        return
    keys = {"cpu": "AutogradCPU", "cuda": "AutogradCUDA"}
    kinds = {tensor.device.type for tensor in tensors}
    for kind in kinds:
        places = (keys.get(kind, "AutogradCPU"), "Autograd", "CompositeImplicitAutograd")
        if any(_C._dispatch_has_computed_kernel_for_dispatch_key(op._name, key) for key in places[:1]):
            return
        if any(_C._dispatch_has_kernel_for_dispatch_key(op._name, key) for key in places):
            return
        given, named = _copies((args, kwargs))
        if any(t.requires_grad for t in tensors_in(op(*given, **named))):
            raise RuntimeError(f"its results require grad, but no kernel is registered for {places[0]} or Autograd")


def _test_faketensor(op: Any, args: Any, kwargs: Any) -> None:
    """Tensors without data give results of the same shapes and dtypes."""

    def without_data(leaf: Any) -> Any:
        return leaf.detach().to("meta") if isinstance(leaf, torch.Tensor) else leaf

    given, named = _copies((args, kwargs))
    with torch.no_grad():
        real = op(*given, **named)
        fake = op(*pytree.tree_map(without_data, args), **pytree.tree_map(without_data, kwargs))
    pairs = list(zip(tensors_in(real), tensors_in(fake)))
    if len(pairs) != len(list(tensors_in(real))):
        raise RuntimeError("the function of register_fake returns fewer tensors than the kernel")
    for k, (one, other) in enumerate(pairs):
        for what in ("shape", "dtype", "layout"):
            if getattr(one, what) != getattr(other, what):
                raise RuntimeError(
                    f"result {k} has the {what} {getattr(one, what)}, but that of register_fake {getattr(other, what)}"
                )
        if one.layout == torch.strided and one.numel() and one.stride() != other.stride():
            raise RuntimeError(f"result {k} has the strides {one.stride()}, but that of register_fake {other.stride()}")


_RECORDED = {"test_aot_dispatch_static": "fake", "test_aot_dispatch_dynamic": "symbolic"}


def _test_recorded(op: Any, args: Any, kwargs: Any, tracing_mode: str, tolerances: dict[str, Any]) -> None:
    """A graph of the operator and of its gradients computes what these do."""
    from torch.fx.experimental.proxy_tensor import make_fx

    leaves, spec = pytree.tree_flatten((args, kwargs))
    places = [k for k, leaf in enumerate(leaves) if isinstance(leaf, torch.Tensor)]
    wrt = [k for k in places if leaves[k].requires_grad]

    def computed(*tensors: torch.Tensor) -> list[Any]:
        filled = list(leaves)
        for k, tensor in zip(places, tensors):
            filled[k] = tensor.detach().requires_grad_() if k in wrt else tensor
        given, named = pytree.tree_unflatten(filled, spec)
        results = list(tensors_in(op(*given, **named)))
        recorded = [t for t in results if t.requires_grad]
        if recorded:
            inputs = [filled[k] for k in wrt]
            weights = [torch.ones_like(t) for t in recorded]
            results += torch.autograd.grad(recorded, inputs, weights, allow_unused=True, materialize_grads=True)
        return [t.detach() for t in results]

    def inputs() -> list[torch.Tensor]:
        return [leaves[k].detach().clone() for k in places]

    module = make_fx(computed, tracing_mode=tracing_mode, _allow_non_fake_inputs=True)(*inputs())
    for got, want in zip(module(*inputs()), computed(*inputs()), strict=True):
        torch.testing.assert_close(got, want, equal_nan=True, **tolerances)


_TESTS = {
    "test_schema": _test_schema, "test_autograd_registration": _test_autograd_registration, "test_faketensor": _test_faketensor,
}  # fmt: skip
