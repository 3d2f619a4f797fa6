"""use_reentrant=False: what the function saves for backward is recomputed when the first saved tensor is needed.

Until then, slots take the place of saved tensors.

A node created before the function runs, outside its hooks, saves the function's tensor arguments. If checkpoints are
nested, the outer one therefore sees only what the inner one needs to run again.
"""

from __future__ import annotations

import contextlib
import threading
import weakref

import torch
from torch import _C
from torch.utils.checkpoint import _debug
from torch.utils.checkpoint._rng import KeptStates

_early_stop = None


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not save what the first run had saved.

    Example:
        >>> issubclass(torch.utils.checkpoint.CheckpointError, RuntimeError)
        True
    """

    __module__ = "torch.utils.checkpoint"


class set_checkpoint_early_stop:
    """Inside a `with` of it, `early_stop` of every checkpoint is this value, whatever it was called with.

    Args:
        enable (bool): the value

    Example:
        >>> with torch.utils.checkpoint.set_checkpoint_early_stop(False):
        ...     pass
    """

    def __init__(self, enable: bool) -> None:
        self.enable = enable

    def __enter__(self) -> None:
        global _early_stop
        self.before, _early_stop = _early_stop, self.enable

    def __exit__(self, *problem: object) -> None:
        global _early_stop
        _early_stop = self.before


class GraphExecGroup:
    """A `with` block whose backward passes count as one: each checkpoint in them is recomputed at most once.

    The passes must not overlap: what one of them has used is freed, and another one cannot have it.

    Raises:
        RuntimeError: on entering one inside another

    Example:
        >>> from torch.utils.checkpoint import GraphExecGroup, checkpoint
        >>> x = torch.ones(2, requires_grad=True)
        >>> first, second = checkpoint(lambda x: (x.exp(), x.sin()), x, use_reentrant=False)
        >>> with GraphExecGroup():
        ...     first.sum().backward()
        ...     second.sum().backward()
    """

    __module__ = "torch.utils.checkpoint"

    def __enter__(self) -> GraphExecGroup:
        if getattr(_group, "current", None) is not None:
            raise RuntimeError("a GraphExecGroup cannot be entered inside another one")
        _group.current = self
        return self

    def __exit__(self, *problem: object) -> None:
        _group.current = None

    @classmethod
    def _get_current_group(cls) -> GraphExecGroup | None:
        return getattr(_group, "current", None)


_group = threading.local()


class _Stop(Exception):
    """Raised when everything needed has been recomputed."""


class _Slot:
    """Saved instead of a tensor: its number in its frame."""

    __slots__ = ("frame", "number", "__weakref__")

    def __init__(self, frame, number):
        self.frame, self.number = frame, number


class _SaveInputs(torch.autograd.Function):
    """Creates the node that saves a checkpoint's tensor arguments. The empty tensor ensures that it is recorded."""

    @staticmethod
    def forward(ctx, recorded, *tensors):
        ctx.save_for_backward(*tensors)
        return recorded.new_empty(0)

    @staticmethod
    def backward(ctx, grad):
        raise AssertionError("no gradient flows to the arguments of a checkpoint this way")


def _metadata(tensor):
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


class _Frame:
    """One checkpoint: what the first run saved, and what the latest second run saved in its place."""

    def __init__(self, run_again, early_stop, compare):
        self.run_again, self.early_stop, self.compare = run_again, early_stop, compare
        self.slots, self.metadata, self.inputs = [], [], None
        self.forward_done = False
        self.pass_number, self.values = None, {}

    def keep_inputs(self, args):
        self.places = [k for k, arg in enumerate(args) if isinstance(arg, torch.Tensor)]
        self.others = [None if isinstance(arg, torch.Tensor) else arg for arg in args]
        # The tensor is kept: it holds the node.
        self.inputs = _SaveInputs.apply(torch.empty(0, requires_grad=True), *[args[k] for k in self.places])

    def saved_inputs(self):
        args = list(self.others)
        for k, tensor in zip(self.places, self.inputs.grad_fn.saved_tensors):
            args[k] = tensor
        return args

    def pack(self, tensor):
        slot = _Slot(self, len(self.slots))
        self.slots.append(weakref.ref(slot))
        if self.compare:
            self.metadata.append(_metadata(tensor))
        return slot

    @staticmethod
    def unpack(slot):
        return slot.frame.value(slot.number)

    def value(self, number):
        """The tensor of a slot. It is returned once; a second request in the same pass recomputes it."""
        group = GraphExecGroup._get_current_group()
        pass_number = _C._current_graph_task_id() if group is None else group
        if group is not None and pass_number is self.pass_number and number not in self.values:
            raise CheckpointError(
                "torch.utils.checkpoint: a backward pass needs a tensor that an earlier one of the same GraphExecGroup has used: "
                "the passes of a group must not overlap"
            )
        if pass_number != self.pass_number or pass_number == -1 or number not in self.values:
            self.recompute()
            self.pass_number = pass_number
        return self.values.pop(number)

    def recompute(self):
        run = _SecondRun(self)
        try:
            with torch.autograd.graph.saved_tensors_hooks(run.pack, _nothing_to_unpack), torch.enable_grad():
                self.run_again(self.saved_inputs())
        except _Stop as stop:
            if stop.args[0] is not run:
                raise
        run.check()
        self.values = run.values


def _nothing_to_unpack(tensor):
    return tensor


class _SecondRun:
    """Collects what the function saves when it runs again."""

    def __init__(self, frame):
        self.frame, self.count, self.values, self.different = frame, 0, {}, []

    def pack(self, tensor):
        frame, number = self.frame, self.count
        self.count += 1
        if number >= len(frame.slots):
            # A backward pass inside the function: the rest of the first run is still to come.
            if not frame.forward_done:
                return tensor.detach()
            raise CheckpointError(
                "torch.utils.checkpoint: trying to save more tensors during recomputation than during "
                f"the original forward pass, which saved {len(frame.slots)}. The function must do the "
                "same when it runs again. (debug=True shows the operators of both runs.)"
            )
        value = tensor.detach()
        if frame.slots[number]() is not None:
            self.values[number] = value
            if frame.compare and (now := _metadata(tensor)) != frame.metadata[number]:
                self.different.append(
                    f"tensor at position {number}:\nsaved metadata: {frame.metadata[number]}\nrecomputed metadata: {now}"
                )
        if frame.early_stop and self.count == len(frame.slots):
            raise _Stop(self)
        return value

    def check(self):
        frame = self.frame
        if self.count < len(frame.slots) or self.count > len(frame.slots) and frame.forward_done:
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original "
                "forward and recomputation.\nNumber of tensors saved during forward: "
                f"{len(frame.slots)}\nNumber of tensors saved during recomputation: {self.count}.\nThe "
                "function must do the same when it runs again. (debug=True shows the operators of both "
                "runs.)"
            )
        if self.different:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different "
                "metadata than during the forward pass.\n"
                + "\n".join(self.different)
                + "\n(debug=True shows the operators of both runs; determinism_check='none' compares "
                "nothing.)"
            )


def run_checkpointed(function, args, kwargs, preserve_rng_state, context_fn, determinism_check, debug, early_stop):
    """checkpoint(..., use_reentrant=False)."""
    with first_run(function, args, kwargs, preserve_rng_state, context_fn, determinism_check, debug, early_stop):
        return function(*args, **kwargs)


@contextlib.contextmanager
def first_run(function, args, kwargs, preserve_rng_state, context_fn, determinism_check, debug, early_stop):
    """A block that computes `function(*args, **kwargs)`, which backward calls again."""
    from torch.utils.checkpoint import noop_context_fn

    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check!r}")
    debug = _debug.is_enabled(debug)
    logs = None
    if debug:
        if context_fn is not noop_context_fn:
            raise ValueError("debug=True is incompatible with non-default context_fn")
        logs = _debug.OperatorLog(), _debug.OperatorLog()
    contexts = context_fn()
    if not isinstance(contexts, tuple) or len(contexts) != 2:
        raise TypeError(
            f"checkpoint: context_fn must give two contexts, for the first run and for the second, got {type(contexts).__name__}"
        )
    first, second = logs or contexts
    if not torch.is_grad_enabled():  # nothing is saved, and nothing runs again
        with first:
            yield
        return
    random = KeptStates(preserve_rng_state, args)

    def run_again(inputs):
        if logs:
            second.lines.clear()
        with random.restored(), second:
            function(*inputs, **kwargs)

    frame = _Frame(run_again, early_stop if _early_stop is None else _early_stop, determinism_check == "default")
    frame.keep_inputs(args)
    unpack = _with_report(*logs) if logs else _Frame.unpack
    with torch.autograd.graph.saved_tensors_hooks(frame.pack, unpack), first:
        yield
    frame.forward_done = True


def _with_report(first, second):
    def unpack(slot):
        try:
            return _Frame.unpack(slot)
        except CheckpointError as problem:
            raise CheckpointError(_debug.report(problem, first, second)) from None

    return unpack
