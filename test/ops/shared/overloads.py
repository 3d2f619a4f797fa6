"""The overloads that an entry covers, called by name with the arguments of its samples: torch.ops.aten.add.Scalar(x, 2)."""

import contextlib
import functools

from ops.common import Sample
from ops.shared.seeded import seed

import torch
from torch.autograd.forward_ad import dual_level

# They take the arguments of another overload for something else, or a tensor with a history. Their entries call them.
OTHER_MEANING = ("aten::bernoulli.float_out", "aten::normal.out", "aten::backward", "aten::_batch_norm_impl_index_backward",
                 "aten::_pin_memory", "aten::_pin_memory.out", "aten::_scaled_mm", "aten::_scaled_mm.out")  # fmt: skip
REDUCTIONS = ("none", "mean", "sum")  # PyTorch's numbers of them


@functools.cache
def overloads_by_name():
    """ "add_" -> its overloads, of every registered operator."""
    found = {}
    for registered in torch._C._dispatch_get_all_op_names():
        if registered.startswith("aten::"):
            name, _, overload = registered.removeprefix("aten::").partition(".")
            found.setdefault(name, []).append(getattr(getattr(torch.ops.aten, name), overload or "default"))
    return found


def overloads_of(op, names):
    """Overloads of the entry's operator, and of its in-place form if that has no own entry (names: of all entries)."""
    base = op.name.split(".")[0]
    inplace = base + "_" if base + "_" not in names and not base.endswith("_") else ""
    found = overloads_by_name().get(base, []) + overloads_by_name().get(inplace, [])
    return [o for o in found if o.name() not in OTHER_MEANING and not changes_inputs_and_out(o)]


def is_out(argument):
    return argument.kwarg_only and argument.is_write


def changes_inputs_and_out(overload):
    """The entries of such overloads call them with copies of what they change."""
    arguments = overload._schema.arguments
    return any(map(is_out, arguments)) and any(a.is_write and not is_out(a) for a in arguments)


def is_inplace(overload):
    arguments = overload._schema.arguments
    return bool(arguments) and arguments[0].is_write and not is_out(arguments[0])


def fitted(overload, sample, factory=False):
    """The sample with numbers for tensors where the overload takes numbers, and for words of Python functions; None where none fits."""
    arguments = {a.name: a for a in overload._schema.arguments}
    positional = [a for a in arguments.values() if not a.kwarg_only]

    def fit(argument, value):
        if argument and argument.type.rstrip("?") == "Scalar" and isinstance(value, torch.Tensor):
            return True if value.dtype == torch.bool else 2
        if argument and argument.name == "reduction" and isinstance(value, str):
            return REDUCTIONS.index(value)
        return value

    values = [sample.input, *sample.args]
    values = [fit(a, v) for a, v in zip([*positional, *[None] * len(values)], values)]
    # The results of an out= form have the type and the device.
    kwargs = {k: v for k, v in sample.kwargs.items() if not factory or k in arguments or k not in ("dtype", "device")}
    found = Sample(values[0], tuple(values[1:]), {k: fit(arguments.get(k), v) for k, v in kwargs.items()})
    if any(a.type == "Scalar[]" and not is_numbers(v) for a, v in zip(positional, values)):
        return None
    of_numbers = all(isinstance(v, (bool, int, float)) for v in (found.input, *found.args))
    one_list = isinstance(found.input, list) and sum(a.is_write for a in arguments.values()) == 1
    if is_inplace(overload) and not isinstance(found.input, torch.Tensor) and not one_list or of_numbers and not factory:
        return None
    return found


def is_numbers(x):
    return isinstance(x, (list, tuple)) and not any(isinstance(v, torch.Tensor) for v in x)


def copied(x):
    return [t.clone() for t in x] if isinstance(x, list) else x.clone()


def does_not_fit(error):
    """Whether the error says that the arguments are those of another overload."""
    return isinstance(error, TypeError) and str(error).startswith("aten::")


def call(overload, sample, like):
    """The overload on a sample: an in-place form on a copy, an out= form with results like these."""
    arguments = [a for a in overload._schema.arguments if is_out(a)]
    outs = {a.name: torch.empty_like(t) for a, t in zip(arguments, like)}
    if len(outs) > 1 and "out" in outs:
        outs = {"out": tuple(outs.values())}
    if any("[" in a.type for a in arguments):
        outs = {"out": [torch.empty_like(t) for t in like]}
    first = copied(sample.input) if is_inplace(overload) else sample.input
    seed()
    with dual_level() if "_make_dual" in overload.name() else contextlib.nullcontext():
        result = overload(first, *sample.args, **sample.kwargs, **outs)
    if result is None and outs:  # the schema has no results; lists are changed
        return outs["out"]
    return first if result is None else result
