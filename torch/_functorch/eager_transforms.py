"""grad, vjp and jvp of torch.func."""

from __future__ import annotations

import torch
from torch import Tensor
from torch._C import _functorch as _C
from torch._functorch.tracking import (
    Recorded,
    call_recording,
    dual_level_is_active,
    finished,
    requires_grad,
    without_history,
)
from torch.utils._pytree import tree_flatten, tree_unflatten

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def chosen(name: str, args: tuple[Any, ...], argnums: Any) -> tuple[Any, list[int]]:
    """The arguments to differentiate by, one or a tuple of them, and their positions."""
    single = isinstance(argnums, int) and not isinstance(argnums, bool)
    places = [argnums] if single else list(argnums) if isinstance(argnums, tuple) else None
    if not places or not all(isinstance(k, int) and not isinstance(k, bool) for k in places):
        raise RuntimeError(f"{name}: argnums must be an int or a tuple of ints that is not empty, got {argnums!r}")
    for k in places:
        if not -len(args) <= k < len(args):
            raise RuntimeError(f"{name}: argnums has {k}, but the function got {len(args)} positional arguments")
    places = [k % len(args) for k in places]
    if len(set(places)) < len(places):
        raise RuntimeError(f"{name}: argnums {argnums!r} names an argument twice")
    inputs = tuple(args[k] for k in places)
    return inputs[0] if single else inputs, places


def with_inputs(args: tuple[Any, ...], places: list[int], inputs: Any, single: bool) -> list[Any]:
    replaced = list(args)
    for k, value in zip(places, (inputs,) if single else inputs):
        replaced[k] = value
    return replaced


def split_aux(name: str, output: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return output, None
    if not isinstance(output, tuple) or len(output) != 2:
        raise RuntimeError(f"{name}: with has_aux=True the function must return a tuple of two, got {type(output).__name__}")
    return output


def tensors_of(name: str, output: Any) -> tuple[list[Tensor], Any]:
    flat, spec = tree_flatten(output)
    if not flat or not all(isinstance(y, Tensor) for y in flat):
        kinds = sorted({type(y).__name__ for y in flat}) or "nothing"
        raise RuntimeError(f"{name}: the function must return tensors, got {kinds}")
    return flat, spec


def check_real(name: str, which: str, tensors: Any) -> None:
    """Jacobians are of real functions: for complex ones there are two conventions."""
    for k, t in enumerate(tree_flatten(tensors)[0]):
        if isinstance(t, Tensor) and t.is_complex():
            raise RuntimeError(f"{name}: {which} must be real tensors, but number {k} is {t.dtype}")


def grad_and_value_impl(
    func: Callable[..., Any], argnums: Any, has_aux: bool, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    inputs, places = chosen("grad", args, argnums)
    recorded = Recorded("grad", inputs)
    output, aux = split_aux(
        "grad", call_recording(func, with_inputs(args, places, recorded.seen, isinstance(argnums, int)), kwargs), has_aux
    )
    if not isinstance(output, Tensor):
        raise RuntimeError(f"grad: the function must return a tensor, got {type(output).__name__}")
    if output.dim() != 0:
        raise RuntimeError(f"grad: the function must return a tensor without dimensions, got one of shape {tuple(output.shape)}")
    value = recorded.value(output)
    keep = recorded.extends_graph([value])
    if not value.is_floating_point():
        raise RuntimeError(f"grad: the function must return a real floating point number, got {value.dtype}")
    gradients = recorded.gradients([value], [torch.ones_like(value)], keep, False)
    output, aux = finished(output, keep), finished(aux, keep)
    return recorded.tree(gradients), (output, aux) if has_aux else output


class Pullback:
    """The function that vjp returns: maps weights of the outputs to gradients of the inputs."""

    def __init__(self, recorded: Recorded, outputs: list[Tensor], spec: Any, single: bool) -> None:
        self.recorded, self.outputs, self.spec, self.single = recorded, outputs, spec, single
        self.values = [recorded.value(y) for y in outputs]
        self.keep = recorded.extends_graph(self.values)

    def of_outputs(self, places: list[int], weights: list[Tensor], create_graph: bool | None = None) -> Any:
        """The gradients, from the weights of some of the outputs."""
        values = [_C._levels_to_dims(w, self.recorded.levels) for w in weights]
        if create_graph is None:
            create_graph = torch.is_grad_enabled() and (self.keep or any(map(requires_grad, weights)))
        return self.recorded.tree(self.recorded.gradients([self.values[k] for k in places], values, create_graph, True))

    def __call__(self, cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        flat, spec = tree_flatten(cotangents)
        if spec != self.spec:
            raise RuntimeError(f"vjp: the cotangents have the structure {spec}, but the outputs {self.spec}")
        for w, y in zip(flat, self.outputs):
            if not isinstance(w, Tensor) or w.shape != y.shape:
                shape = tuple(w.shape) if isinstance(w, Tensor) else type(w).__name__
                raise RuntimeError(f"vjp: expected a cotangent of the output's shape {tuple(y.shape)}, got {shape}")
        return self.of_outputs(list(range(len(flat))), flat, create_graph)


def pullback(func: Callable[..., Any], inputs: tuple[Any, ...], has_aux: bool, name: str = "vjp") -> tuple[Any, Any, Any]:
    """The outputs, the function that vjp returns, and what else the function returned."""
    recorded = Recorded(name, inputs)
    output, aux = split_aux(name, call_recording(func, recorded.seen), has_aux)
    flat, spec = tensors_of(name, output)
    for y in flat:
        if not (y.is_floating_point() or y.is_complex()):
            raise RuntimeError(f"{name}: the function must return floating point or complex tensors, got {y.dtype}")
    back = Pullback(recorded, flat, spec, len(inputs) == 1)
    return finished(output, back.keep), back, finished(aux, back.keep)


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """The outputs of a function and a function of weights: the products of those with the Jacobian.

    Args:
        func (function): takes and returns tensors, or trees of them
        *primals (Any): its arguments
        has_aux (bool, default False): the function returns a tuple of its outputs and anything else

    Returns:
        tuple: the outputs; a function that maps weights of the outputs (cotangents) to a tuple with the gradient of each
        argument; with `has_aux`, what else the function returned

    Raises:
        RuntimeError: the function returns something else than tensors, or weights do not fit its outputs

    Example:
        >>> y, pull = torch.func.vjp(torch.sin, torch.zeros(2))
        >>> pull(torch.tensor([1., 2.]))
        (tensor([1., 2.]),)
    """
    if not primals:
        raise TypeError("vjp: expected arguments to differentiate by")
    output, back, aux = pullback(func, primals, has_aux)
    return (output, back, aux) if has_aux else (output, back)


def _check_tangents(primals: Any, tangents: Any) -> tuple[list[Tensor], list[Tensor], Any]:
    if not isinstance(primals, tuple) or not isinstance(tangents, tuple) or not primals:
        raise RuntimeError("jvp: primals and tangents must be tuples that are not empty")
    flat, spec = tree_flatten(primals)
    directions, other = tree_flatten(tangents)
    if spec != other:
        raise RuntimeError(f"jvp: the tangents have the structure {other}, but the primals {spec}")
    for x, t in zip(flat, directions):
        if not isinstance(x, Tensor) or not isinstance(t, Tensor):
            raise RuntimeError("jvp: primals and tangents must be tensors")
        if x.shape != t.shape:
            raise RuntimeError(f"jvp: expected a tangent of the primal's shape {tuple(x.shape)}, got {tuple(t.shape)}")
    return flat, directions, spec


def _jvp_by_duals(
    func: Callable[..., Any], flat: list[Tensor], directions: list[Tensor], spec: Any, strict: bool, has_aux: bool
) -> tuple[Any, Any, Any]:
    import torch.autograd.forward_ad as forward_ad

    levels = _C._current_level()
    with forward_ad.dual_level():
        duals = [
            _C._dims_to_levels(forward_ad.make_dual(_C._levels_to_dims(x, levels), _C._levels_to_dims(t, levels)), levels)
            for x, t in zip(flat, directions)
        ]
        output, aux = split_aux("jvp", func(*tree_unflatten(duals, spec)), has_aux)
        outputs, out_spec = tensors_of("jvp", output)
        values, tangents = [], []
        for y in outputs:
            primal, tangent = forward_ad.unpack_dual(_C._levels_to_dims(y, levels))
            if tangent is None and strict:
                raise RuntimeError("jvp: an output does not depend on the primals, which strict=True does not allow")
            tangent = torch.zeros_like(primal) if tangent is None else tangent
            values.append(_C._dims_to_levels(primal, levels))
            tangents.append(_C._dims_to_levels(tangent, levels))
    return tree_unflatten(values, out_spec), tree_unflatten(tangents, out_spec), aux


class Pushforward:
    """The function that linearize returns: maps directions of the inputs to derivatives of the outputs.

    The product of weights v with the Jacobian J is linear in v, so that its own gradient by v in the direction t is J t.
    """

    def __init__(self, recorded: Recorded, outputs: list[Tensor], spec: Any) -> None:
        self.recorded, self.outputs, self.spec = recorded, outputs, spec
        values = [recorded.value(y) for y in outputs]
        self.keep = recorded.extends_graph(values)
        try:
            self._multiply(values, torch.ones_like)
        except RuntimeError:  # eigenvectors refuse weights that depend on their phase, which 0 does not
            self._multiply(values, torch.zeros_like)

    def _multiply(self, values: list[Tensor], start: Callable[[Tensor], Tensor]) -> None:
        """The products at some weights: where they are does not matter, but logcumsumexp has no second derivative at 0."""
        self.weights = [start(y) for y in values]
        for weight in self.weights:
            if weight.is_floating_point() or weight.is_complex():  # others have derivatives of 0
                weight.requires_grad_()
        with torch.enable_grad():
            self.products = self.recorded.gradients(values, self.weights, True, True)

    def flat(self, directions: list[Tensor]) -> list[Tensor]:
        """The derivatives of the outputs, batched as the outputs are."""
        levels = self.recorded.levels
        along = [_C._levels_to_dims(t, levels) for t in directions]
        keep = torch.is_grad_enabled() and (self.keep or any(map(requires_grad, directions)))
        pairs = [(p, t) for p, t in zip(self.products, along) if p.requires_grad]
        found: Any = [None] * len(self.weights)
        if pairs:
            found = list(found)
            places = [k for k, w in enumerate(self.weights) if w.requires_grad]
            derived = torch.autograd.grad(
                [p for p, _ in pairs], [self.weights[k] for k in places], [t for _, t in pairs],
                create_graph=keep, retain_graph=True, allow_unused=True,
            )  # fmt: skip
            for k, d in zip(places, derived):
                found[k] = d
        filled = [torch.zeros_like(w) if d is None else d for d, w in zip(found, self.weights)]
        return [_C._dims_to_levels(d if keep else without_history(d), levels) for d in filled]

    def __call__(self, *tangents: Any) -> Any:
        flat, spec = tree_flatten(tangents)
        if spec != self.recorded.spec:
            raise RuntimeError(f"linearize: the tangents have the structure {spec}, but the primals {self.recorded.spec}")
        for k, (x, t) in enumerate(zip(self.recorded.raw, flat)):
            if not isinstance(t, Tensor) or t.dtype != x.dtype:
                kind = t.dtype if isinstance(t, Tensor) else type(t).__name__
                raise RuntimeError(f"linearize: tangent {k} is {kind}, but its primal is {x.dtype}")
        return tree_unflatten(self.flat(flat), self.spec)


def pushforward(func: Callable[..., Any], inputs: tuple[Any, ...], has_aux: bool, name: str) -> tuple[Any, Any, Any]:
    """The outputs, the function that linearize returns, and what else the function returned."""
    recorded = Recorded(name, inputs)
    output, aux = split_aux(name, call_recording(func, recorded.seen), has_aux)
    flat, spec = tensors_of(name, output)
    forward = Pushforward(recorded, flat, spec)
    return finished(output, forward.keep), forward, finished(aux, forward.keep)


def jvp(func: Callable[..., Any], primals: Any, tangents: Any, *, strict: bool = False, has_aux: bool = False) -> Any:
    """The outputs of a function and their derivatives along directions of its arguments.

    Args:
        func (function): takes and returns tensors, or trees of them
        primals (tuple): its arguments
        tangents (tuple): a direction for each, of the same shape
        strict (bool, default False): an output that does not depend on the arguments is an error
        has_aux (bool, default False): the function returns a tuple of its outputs and anything else

    Returns:
        tuple: the outputs and their derivatives; with `has_aux`, what else the function returned

    Raises:
        RuntimeError: primals and tangents do not fit each other

    Example:
        >>> torch.func.jvp(torch.sin, (torch.zeros(2),), (torch.tensor([1., 2.]),))
        (tensor([0., 0.]), tensor([1., 2.]))
    """
    flat, directions, spec = _check_tangents(primals, tangents)
    if not dual_level_is_active():
        output, derived, aux = _jvp_by_duals(func, flat, directions, spec, strict, has_aux)
    else:  # levels of forward mode do not nest
        output, forward, aux = pushforward(func, primals, has_aux, "jvp")
        derived = forward(*tangents)
    return (output, derived, aux) if has_aux else (output, derived)


def linearize(func: Callable[..., Any], *primals: Any) -> tuple[Any, Callable[..., Any]]:
    """The outputs of a function and its derivative there, as a linear function of directions.

    The function runs once; each call of the derivative then costs no more than one backward pass.

    Args:
        func (function): takes and returns tensors, or trees of them
        *primals (Any): its arguments

    Returns:
        tuple: the outputs, and a function of directions that returns the derivatives of the outputs

    Example:
        >>> y, derivative = torch.func.linearize(torch.sin, torch.zeros(2))
        >>> derivative(torch.tensor([1., 2.]))
        tensor([1., 2.])
    """
    if not primals:
        raise RuntimeError("linearize: expected arguments to differentiate by")
    output, forward, _ = pushforward(func, primals, False, "linearize")
    return output, forward


_ELSEWHERE = {
    "grad": "apis", "grad_and_value": "apis", "vmap": "apis",
    "jacrev": "jacobians", "jacfwd": "jacobians", "hessian": "jacobians",
    "functional_call": "functional_call", "stack_module_state": "functional_call",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Names that packages import from here, although they are defined beside."""
    if name not in _ELSEWHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"torch._functorch.{_ELSEWHERE[name]}"), name)
