"""What the families share: reductions, tuples of sizes, and `__torch_function__`."""

import warnings

from torch import _C

_REDUCTIONS = {"none": 0, "mean": 1, "sum": 2}
has_torch_function = _C._has_torch_function
has_torch_function_unary = _C._has_torch_function_unary
has_torch_function_variadic = _C._has_torch_function_variadic

__all__ = ["has_torch_function", "has_torch_function_unary", "has_torch_function_variadic",
           "handle_torch_function"]


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    from torch.overrides import handle_torch_function as handle

    return handle(public_api, relevant_args, *args, **kwargs)


def overridable(count):
    """Let a subclass among the first `count` arguments take the call over."""

    def decorate(function):
        def public(*args, **kwargs):
            if has_torch_function(args[:count]):
                return handle_torch_function(public, args[:count], *args, **kwargs)
            return function(*args, **kwargs)

        public.__name__ = public.__qualname__ = function.__name__
        public.__module__, public.__doc__, public.__wrapped__ = (
            "torch.nn.functional",
            function.__doc__,
            function,
        )
        return public

    return decorate


def reduction_code(reduction, size_average=None, reduce=None):
    """The number by which operators know a reduction. The two booleans are its form before version 0.4."""
    if size_average is not None or reduce is not None:
        reduction = legacy_reduction(size_average, reduce)
    try:
        return _REDUCTIONS[reduction]
    except (KeyError, TypeError):
        raise ValueError(f"{reduction} is not a valid value for reduction") from None


def legacy_reduction(size_average, reduce, stacklevel=4):
    average = True if size_average is None else size_average
    reduced = True if reduce is None else reduce
    name = "none" if not reduced else "mean" if average else "sum"
    warnings.warn(f"size_average and reduce args will be deprecated, please use reduction='{name}' instead.",
                  stacklevel=stacklevel)
    return name


def apply_reduction(loss, code):
    return loss if code == 0 else loss.mean() if code == 1 else loss.sum()


def warn_sizes(input, target):
    """A loss over tensors that only broadcast together is nearly always a mistake."""
    if target.size() != input.size():
        warnings.warn(f"Using a target size ({target.size()}) that is different to the input size "
                      f"({input.size()}). This "
                      "will likely lead to incorrect results due to broadcasting. Please ensure they have "
                      "the same size.",
                      stacklevel=4)


def repeat(value, count):
    """`value` as a tuple of `count`."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
