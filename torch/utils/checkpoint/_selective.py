"""Selective checkpointing: results of chosen operators are saved in the first run and reused in the second.

The policy sees the operators that run below autograd (`torch.ops.aten.addmm.default`, for nn.Linear). Composite
operators are decomposed before that. The parts may differ from PyTorch's, and some views by indexing are not seen."""

from __future__ import annotations

import enum
from collections import defaultdict

import torch
from torch import _C

TYPE_CHECKING = False  # type checkers treat this as true
if TYPE_CHECKING:
    from typing import Any


class CheckpointPolicy(enum.Enum):
    """What becomes of an operator's result.

    MUST and PREFER differ for compilers only; on the CPU, what is offloaded is saved.

    Args:
        value (int): the number of a policy

    Example:
        >>> torch.utils.checkpoint.CheckpointPolicy(0)
        <CheckpointPolicy.MUST_SAVE: 0>
    """

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


_SAVING = (
    CheckpointPolicy.MUST_SAVE,
    CheckpointPolicy.PREFER_SAVE,
    CheckpointPolicy.MUST_CPU_OFFLOAD,
    CheckpointPolicy.PREFER_CPU_OFFLOAD,
)


class SelectiveCheckpointContext:
    """The first argument of a policy.

    Args:
        is_recompute (bool): whether this is the second run
        op_output (Any, optional): the operator's result

    Example:
        >>> torch.utils.checkpoint.SelectiveCheckpointContext(is_recompute=True).is_recompute
        True
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute, self.op_output = is_recompute, op_output


class _IgnoredOperators:
    """The operators that are not passed to policies: they return an alias or a plain number."""

    names = ("aten.detach", "aten.size", "aten.stride", "aten.storage_offset", "aten.numel", "aten.dim", "aten.is_contiguous")

    def __contains__(self, op):
        return str(op).rpartition(".")[0] in self.names


SAC_IGNORED_OPS = _IgnoredOperators()
_overloads = {}


def overload_of(name, overload):
    """The torch.ops object of an operator."""
    found = _overloads.get((name, overload))
    if found is None:
        space, _, op = name.partition("::")
        packet = getattr(getattr(torch.ops, space), op)
        found = _overloads[name, overload] = getattr(packet, overload or "default")
    return found


def _aliases(op):
    """Whether a result of the operator is one of its arguments or shares memory with one."""
    schema = str(op._schema)
    return "!" in schema or "Tensor(" in schema.rpartition("->")[2]


class _Saved:
    """A result, and the versions that its tensors had."""

    def __init__(self, result, allow_mutation):
        self.allow_mutation = allow_mutation
        self.result = _mapped(lambda t: (t.detach(), t._version), result)

    def again(self, op):
        def checked(pair):
            tensor, version = pair
            if not self.allow_mutation and tensor._version != version:
                raise RuntimeError(
                    f"selective checkpointing: the kept result of {op} was changed in place after the "
                    "operator had run; recompute it, or pass allow_cache_entry_mutation=True"
                )
            return tensor.detach()

        return _unmapped(checked, self.result)


def _mapped(function, value):
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, (list, tuple)):
        return [_mapped(function, item) for item in value]
    return ("value", value, None)


def _unmapped(function, value):
    if isinstance(value, list):
        return [_unmapped(function, item) for item in value]
    return value[1] if len(value) == 3 else function(value)


class _FirstRun:
    """Calls the policy for every operator, and saves the results that it chooses."""

    def __init__(self, policy, allow_mutation, saved):
        self.policy, self.allow_mutation, self.saved = policy, allow_mutation, saved

    def __enter__(self):
        _C._push_dispatch_mode(self._call)

    def __exit__(self, *problem):
        _C._pop_dispatch_mode()

    def _call(self, name, overload, args, kwargs):
        op = overload_of(name, overload)
        result = op(*args, **kwargs)
        if op in SAC_IGNORED_OPS:
            return result
        choice = self.policy(SelectiveCheckpointContext(is_recompute=False, op_output=result), op, *args, **kwargs)
        if isinstance(choice, bool):
            choice = CheckpointPolicy.MUST_SAVE if choice else CheckpointPolicy.PREFER_RECOMPUTE
        if not isinstance(choice, CheckpointPolicy):
            raise TypeError(f"selective checkpointing: the policy must give a CheckpointPolicy, got {type(choice).__name__}")
        if choice in _SAVING and _aliases(op):
            if choice is CheckpointPolicy.MUST_SAVE:
                raise RuntimeError(
                    f"selective checkpointing: {op} cannot be saved, for its result is an alias of an "
                    "argument or changes one; the policy should recompute it"
                )
            choice = CheckpointPolicy.MUST_RECOMPUTE
        self.saved[op].append(_Saved(result, self.allow_mutation) if choice in _SAVING else None)
        return result


class _SecondRun:
    """Returns the saved results, and runs the other operators again."""

    def __init__(self, saved):
        self.saved = saved

    def __enter__(self):
        self.calls = defaultdict(int)
        _C._push_dispatch_mode(self._call)

    def __exit__(self, *problem):
        _C._pop_dispatch_mode()

    def _call(self, name, overload, args, kwargs):
        op = overload_of(name, overload)
        if op in SAC_IGNORED_OPS:
            return op(*args, **kwargs)
        number = self.calls[op]
        self.calls[op] += 1
        if number >= len(self.saved[op]):
            raise RuntimeError(
                f"selective checkpointing: {op} runs more often in the second run than in the first: the "
                "function must do the same when it runs again"
            )
        entry = self.saved[op][number]
        return op(*args, **kwargs) if entry is None else entry.again(op)


def _policy_of(operators):
    for op in operators:
        if not isinstance(op, torch._ops.OpOverload):
            raise ValueError(
                f"create_selective_checkpoint_contexts: expected operators such as torch.ops.aten.mm.default, got "
                f"{op!r}. (An operator without its overload, torch.ops.aten.mm, is not enough.)"
            )
    chosen = set(map(str, operators))

    def policy(context, op, *args, **kwargs):
        return CheckpointPolicy.MUST_SAVE if str(op) in chosen else CheckpointPolicy.PREFER_RECOMPUTE

    return policy


def create_selective_checkpoint_contexts(policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False) -> tuple[Any, Any]:
    """The two contexts of selective checkpointing, for `context_fn` of `checkpoint`.

    Args:
        policy_fn_or_list (function or list): a function (context, operator, *args, **kwargs) that gives a CheckpointPolicy, or
            the operators to save
        allow_cache_entry_mutation (bool, default False): do not refuse a kept result that was changed in place since

    Returns:
        the contexts, for the first run and for the second

    Raises:
        TypeError: neither a function nor a list
        ValueError: the list has something else than operators with their overloads

    Example:
        >>> from functools import partial
        >>> from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
        >>> contexts = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
        >>> w = torch.ones(2, 2, requires_grad=True)
        >>> y = checkpoint(lambda x: torch.mm(x, w).exp(), torch.ones(2, 2), use_reentrant=False, context_fn=contexts)
        >>> y.sum().backward()
    """
    if isinstance(policy_fn_or_list, list):
        policy = _policy_of(policy_fn_or_list)
    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    saved = defaultdict(list)
    return _FirstRun(policy, allow_cache_entry_mutation, saved), _SecondRun(saved)
