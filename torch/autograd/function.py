"""Custom differentiable functions."""

from torch import _C


class _HookMixin:
    @staticmethod
    def _register_hook(backward_hooks, hook):
        from collections import OrderedDict

        from torch.utils.hooks import RemovableHandle

        backward_hooks = OrderedDict() if backward_hooks is None else backward_hooks
        handle = RemovableHandle(backward_hooks)
        backward_hooks[handle.id] = hook
        return backward_hooks, handle


class FunctionCtx:
    """What `ctx` offers to forward, setup_context and backward."""

    clear_saved_tensors_on_access = False
    boxed_grads_call = False

    def save_for_backward(self, *tensors):
        """Keep inputs or outputs for backward; there they are `ctx.saved_tensors`."""
        self.to_save = tensors

    def save_for_forward(self, *tensors):
        """Keep tensors for `jvp`."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args):
        """Say which inputs forward changed in place."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args):
        """Say which outputs have no gradient."""
        self.non_differentiable = args

    def set_materialize_grads(self, value):
        """False: backward gets None, and not zeros, for outputs that nobody used."""
        self.materialize_grads = value


class BackwardCFunction(_C._FunctionBase, FunctionCtx, _HookMixin):
    """The node of a custom function in the graph; the engine calls `apply`."""

    def apply(self, *args):
        kind = self._forward_cls
        if kind.backward is not Function.backward and kind.vjp is not Function.vjp:
            raise RuntimeError("Implementing both 'backward' and 'vjp' for a custom Function is not "
                               "allowed. You should only "
                               "implement one of them.")
        run = kind.vjp if kind.vjp is not Function.vjp else kind.backward
        return run(self, *args)

    def apply_jvp(self, *args):
        return self._forward_cls.jvp(self, *args)


class FunctionMeta(type):
    """Makes, beside every Function, the class of its nodes, named after it."""

    def __init__(cls, name, bases, attributes):
        node = type(name + "Backward", (BackwardCFunction,), {"_forward_cls": cls})
        node.__module__ = __name__
        cls._backward_cls = node
        super().__init__(name, bases, attributes)


class Function(_C._FunctionBase, FunctionCtx, _HookMixin, metaclass=FunctionMeta):
    """A function with a derivative of its own.

    Static methods: `forward(ctx, *args)`, or `forward(*args)` with `setup_context(ctx, inputs, output)`; and
    `backward(ctx, *grad_outputs)`, which returns one gradient, or None, for every argument. Call `apply`."""

    generate_vmap_rule = False

    def __init__(self, *args, **kwargs):
        import warnings

        warnings.warn(f"{type(self)} should not be instantiated. Methods on autograd functions are all "
                      "static, so you should "
                      "invoke them on the class itself: call its `apply`.", DeprecationWarning, stacklevel=2)

    def __call__(self, *args, **kwargs):
        raise RuntimeError("Legacy autograd function with non-static forward method is deprecated. Please "
                           "use new-style "
                           "autograd function with static forward method. (Example: "
                           "https://pytorch.org/docs/stable/autograd.html#torch.autograd.Function)")

    @staticmethod
    def forward(*args, **kwargs):
        raise NotImplementedError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx, *grad_outputs):
        raise NotImplementedError("You must implement either the backward or vjp method for your custom "
                                  "autograd.Function "
                                  "to use it with backward mode AD.")

    vjp = backward

    @staticmethod
    def jvp(ctx, *grad_inputs):
        raise NotImplementedError("You must implement the jvp function for custom autograd.Function to use "
                                  "it with forward "
                                  "mode AD.")

    @classmethod
    def apply(cls, *args, **kwargs):
        """Run forward, recording a node if an argument requires a gradient."""
        if cls.setup_context is not Function.setup_context:
            code = getattr(cls.forward, "__code__", None)
            if kwargs or code is None or len(args) != code.co_argcount:
                args, kwargs = _bind(cls.forward, args, kwargs), {}
        return super().apply(*args, **kwargs)


def _bind(function, args, kwargs):
    """Keywords put into their places: setup_context sees all inputs as one tuple."""
    import inspect

    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    return bound.args


def once_differentiable(fn):
    """Mark a backward that cannot itself be differentiated: doing so is an error."""
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
        refused = _C._functions.DelayedError(b"trying to differentiate twice a function that was marked with "
                                             b"@once_differentiable", 1 if single else len(outputs))
        values = (outputs,) if single else outputs
        marked = refused(
            *[
                value.detach().requires_grad_() if isinstance(value, torch.Tensor) else value
                for value in values
            ]
        )
        return marked if single or not isinstance(marked, torch.Tensor) else (marked,)

    return wrapped


class InplaceFunction(Function):
    """A Function with an `inplace` flag, for old programs."""

    def __init__(self, inplace=False):
        super().__init__()
        self.inplace = inplace
