"""The history of a GPU's memory, and snapshots in the form that PyTorch's page for them reads (pytorch.org/memory_viz)."""

from __future__ import annotations

import pickle
from typing import Any

from torch.cuda._memory import memory_snapshot
from torch.cuda._runtime import initialize

_CONTEXTS = (None, "state", "alloc", "all")
_MAX_ENTRIES = 2**63 - 1
_ACTIONS = frozenset(
    "alloc free_requested free_completed segment_alloc segment_free segment_map segment_unmap oom snapshot".split()
)


def _record_memory_history(
    enabled: str | bool | None = "all", context: str | None = "all", stacks: str = "all", max_entries: int = _MAX_ENTRIES,
    device: Any = None, clear_history: bool = False, compile_context: bool = False, global_record_annotations: bool = False,
    skip_actions: list[str] | None = None,
) -> None:  # fmt: skip
    """Records what happens to the memory of all GPUs, with the stacks of Python.

    Args:
        enabled ("all", "state" or None): "all" records requests, frees and segments; "state" the stacks of the blocks that there
            are; None ends it
        context ("all", "alloc", "state" or None): which of them have stacks: all; requests; the blocks that there are; none
        stacks (str): "python" or "all"; stacks of C++ are not recorded
        max_entries (int): how many of the newest are kept
        device (device, optional): of no effect
        clear_history (bool, default False): drops what was recorded before
        compile_context (bool): of no effect: compiled code has no context of its own here
        global_record_annotations (bool): of no effect: annotations are not recorded
        skip_actions (list of str, optional): events that are not recorded: "alloc", "free_requested", "free_completed",
            "segment_alloc", "segment_free", "segment_map", "segment_unmap", "oom", "snapshot"
    """
    enabled = {True: "all", False: None}.get(enabled, enabled) if isinstance(enabled, bool) else enabled
    if enabled not in (None, "state", "all"):
        raise ValueError(f'_record_memory_history(): expected enabled to be "all", "state" or None, got {enabled!r}')
    if context not in _CONTEXTS:
        raise ValueError(f'_record_memory_history(): expected context to be "all", "alloc", "state" or None, got {context!r}')
    if stacks not in ("python", "all"):
        raise ValueError(f'_record_memory_history(): expected stacks to be "python" or "all", got {stacks!r}')
    skipped = set(skip_actions or ())
    if not skipped <= _ACTIONS:
        raise ValueError(
            f"_record_memory_history(): skip_actions has {sorted(skipped - _ACTIONS)}; the actions are {sorted(_ACTIONS)}"
        )
    kept = min(int(max_entries), _MAX_ENTRIES)
    record = initialize().record_memory_history
    record(enabled is not None, enabled == "all", context is not None, context == "all", kept, clear_history, skipped)


def _settings() -> dict[str, Any]:
    """PYTORCH_CUDA_ALLOC_CONF, in the names of a snapshot."""
    given = initialize().allocator_settings()
    limit = given["max_split_size"]
    return {
        "PYTORCH_CUDA_ALLOC_CONF": given["text"],
        "max_split_size": limit if limit < 2**63 else -1,
        "garbage_collection_threshold": given["garbage_collection_threshold"],
        "expandable_segments": given["expandable_segments"],
        "pinned_num_register_threads": 1,
        "release_lock_on_cudamalloc": False,
        "pinned_use_cuda_host_register": False,
        "roundup_power2_divisions": given["roundup_power2_divisions"],
    }


def _snapshot(device: Any = None, augment_with_fx_traces: bool = False) -> dict[str, Any]:
    """The segments of all GPUs with their blocks, and what was recorded for each.

    Args:
        device (device, optional): of no effect

    Returns:
        a dict of "segments", "device_traces" (one list of events for each GPU), "allocator_settings" and "external_annotations"
    """
    return {
        "segments": memory_snapshot(),
        "device_traces": initialize().memory_history(),
        "allocator_settings": _settings(),
        "external_annotations": [],
    }


def _dump_snapshot(filename: str = "dump_snapshot.pickle", augment_with_fx_traces: bool = False) -> None:
    """Writes a snapshot to a file.

    Args:
        filename (str): its path
    """
    with open(filename, "wb") as file:
        pickle.dump(_snapshot(), file)
