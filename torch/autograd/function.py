"""Custom differentiable functions."""

from __future__ import annotations

import sys

from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from torch import Tensor


class _HookMixin:
    @staticmethod
    def _register_hook(backward_hooks: Any, hook: Any) -> Any:
        from collections import OrderedDict

        from torch.utils.hooks import RemovableHandle

        backward_hooks = OrderedDict() if backward_hooks is None else backward_hooks
        handle = RemovableHandle(backward_hooks)
        backward_hooks[handle.id] = hook
        return backward_hooks, handle


class FunctionCtx:
    """What `ctx` offers to forward, setup_context and backward.

    Example:
        >>> class Square(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x * x
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         x, = ctx.saved_tensors
        ...         return 2 * x * gradient
        >>> x = torch.tensor(3., requires_grad=True)
        >>> torch.autograd.grad(Square.apply(x), x)
        (tensor(6.),)
    """

    clear_saved_tensors_on_access = False
    boxed_grads_call = False

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs or outputs for backward; there they are `ctx.saved_tensors`.

        Args:
            *tensors (Tensor or None): what is kept
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for `jvp`.

        Args:
            *tensors (Tensor or None): what is kept
        """
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Say which inputs forward changed in place."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Set what backward gets for outputs that nobody used.

        Args:
            value (bool): True, as at the start: zeros; False: None
        """
        self.materialize_grads = value


class BackwardCFunction(_C._FunctionBase, FunctionCtx, _HookMixin):
    """The node of a custom function in the graph; the engine calls `apply`.

    Example:
        >>> class Same(torch.autograd.Function):
        ...     forward = staticmethod(lambda ctx, x: x.clone())
        >>> node = Same.apply(torch.ones(1, requires_grad=True)).grad_fn
        >>> isinstance(node, torch.autograd.function.BackwardCFunction), type(node).__name__
        (True, 'SameBackward')
    """

    def apply(self, *args: Any) -> Any:
        """Runs the function's backward."""
        kind = self._forward_cls
        if kind.backward is not Function.backward and kind.vjp is not Function.vjp:
            raise RuntimeError(
                "Implementing both 'backward' and 'vjp' for a custom Function is not allowed. You should only "
                "implement one of them."
            )
        run = kind.vjp if kind.vjp is not Function.vjp else kind.backward
        return run(self, *args)

    def apply_jvp(self, *args: Any) -> Any:
        """Runs the function's jvp."""
        return self._forward_cls.jvp(self, *args)


class FunctionMeta(type):
    """Makes, beside every Function, the class of its nodes, named after it.

    Args:
        name (str): of the class
        bases (tuple): of the class
        attributes (dict): of the class

    Example:
        >>> type(torch.autograd.Function)
        <class 'torch.autograd.function.FunctionMeta'>
    """

    def __init__(cls, name: str, bases: tuple[type, ...], attributes: dict[str, Any]) -> None:
        node = type(name + "Backward", (BackwardCFunction,), {"_forward_cls": cls})
        node.__module__ = __name__
        cls._backward_cls = node
        super().__init__(name, bases, attributes)


class Function(_C._FunctionBase, FunctionCtx, _HookMixin, metaclass=FunctionMeta):
    """A function with a derivative of its own.

    A subclass defines static methods: `forward(ctx, *args)`, or `forward(*args)` with `setup_context(ctx, inputs, output)`;
    and `backward(ctx, *grad_outputs)`, which returns one gradient, or None, for every argument. It is called by `apply`, and
    never made.

    Example:
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        ...     @staticmethod
        ...     def backward(ctx, gradient):
        ...         return 2 * gradient
        >>> x = torch.ones(2, requires_grad=True)
        >>> Double.apply(x).sum().backward()
        >>> x.grad
        tensor([2., 2.])
    """

    generate_vmap_rule = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        import warnings

        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you "
            "should invoke them on the class itself: call its `apply`.",
            DeprecationWarning,
            stacklevel=2,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(
            "Legacy autograd function with non-static forward method is deprecated. Please use new-style autograd "
            "function with static forward method. (Example: "
            "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)"
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Computes the outputs; a subclass defines it."""
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> Any:
        """Keeps what backward needs, where `forward` has no `ctx`; a subclass defines it.

        Args:
            ctx (FunctionCtx): what keeps it
            inputs (tuple): the arguments of forward
            output (Any): what forward returned
        """
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Computes the gradients of the arguments; a subclass defines it.

        Args:
            ctx (FunctionCtx): what forward kept
            *grad_outputs (Tensor): the gradients of the outputs
        """
        raise NotImplementedError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it "
            "with backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Computes the derivatives of the outputs along those of the inputs; a subclass defines it.

        Args:
            ctx (FunctionCtx): what forward kept
            *grad_inputs (Tensor): the derivatives of the inputs
        """
        raise NotImplementedError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], *args: Any) -> Any:
        """Computes a batch; a subclass defines it, or sets `generate_vmap_rule`.

        Args:
            info (VmapInfo): the size of the batch and what random operators do
            in_dims (tuple): the batch dimension of each argument, None for one that is the same for all examples
            *args (Any): the arguments of forward

        Returns:
            tuple: the outputs, and their batch dimensions
        """
        raise NotImplementedError("To use a custom autograd.Function under vmap, define vmap or set generate_vmap_rule = True.")

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run forward, recording a node if an argument requires a gradient."""
        if cls.setup_context is not Function.setup_context:
            code = getattr(cls.forward, "__code__", None)
            if kwargs or code is None or len(args) != code.co_argcount:
                args, kwargs = _bind(cls.forward, args, kwargs), {}
        if "torch._functorch.vmap" in sys.modules and _C._functorch._current_level():
            from torch._functorch.autograd_function import apply_batched, highest_level

            if highest_level(args):
                return apply_batched(cls, args)
        forward_ad = sys.modules.get("torch.autograd.forward_ad")
        if forward_ad is not None and forward_ad._current_level >= 0:
            from torch.autograd._function_jvp import apply_dual, is_dual

            if any(map(is_dual, args)):
                return apply_dual(cls, args, kwargs)
        return super().apply(*args, **kwargs)


def _bind(function: Any, args: Any, kwargs: Any) -> Any:
    """Turn keyword arguments into positional ones: setup_context receives all inputs as one tuple."""
    import inspect

    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


def once_differentiable(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a backward that cannot itself be differentiated: doing so is an error.

    Args:
        fn (function): the backward

    Returns:
        the decorated function

    Example:
        >>> class Double(torch.autograd.Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         return 2 * x
        ...     @staticmethod
        ...     @torch.autograd.function.once_differentiable
        ...     def backward(ctx, gradient):
        ...         return 2 * gradient
        >>> x = torch.ones(1, requires_grad=True)
        >>> torch.autograd.grad(Double.apply(x), x)
        (tensor([2.]),)
    """
    import functools

    import torch

    @functools.wraps(fn)
    def wrapped(ctx, *args):
        with torch.no_grad():
            outputs = fn(ctx, *args)
        if not torch.is_grad_enabled():
            return outputs
        if not any(isinstance(arg, torch.Tensor) and arg.requires_grad for arg in args):
            return outputs
        single = not isinstance(outputs, tuple)
        refused = _C._functions.DelayedError(
            b"trying to differentiate twice a function that was marked with @once_differentiable", 1 if single else len(outputs)
        )
        values = (outputs,) if single else outputs
        marked = refused(*[value.detach().requires_grad_() if isinstance(value, torch.Tensor) else value for value in values])
        return marked if single or not isinstance(marked, torch.Tensor) else (marked,)

    return wrapped


class InplaceFunction(Function):
    """A Function with an `inplace` flag, for old programs.

    Args:
        inplace (bool, default False): the flag

    Example:
        >>> issubclass(torch.autograd.function.InplaceFunction, torch.autograd.Function)
        True
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class NestedIOFunction(Function):
    """A function of nested containers, which no version of PyTorch with static methods runs; subclasses are refused.

    Example:
        >>> class Nested(torch.autograd.function.NestedIOFunction):
        ...     pass
        Traceback (most recent call last):
        NotImplementedError: ...
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        raise NotImplementedError(
            f"{cls.__name__}: NestedIOFunction is not supported; derive from torch.autograd.Function, and flatten "
            "the containers by torch.utils._pytree.tree_flatten"
        )
