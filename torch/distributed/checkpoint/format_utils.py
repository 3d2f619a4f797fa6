"""Checkpoints as one file of torch.save, and the reverse."""

from __future__ import annotations

import os
from typing import Any

import torch
from torch.distributed.checkpoint._steps import Steps
from torch.distributed.checkpoint._torch_save import BroadcastingTorchSaveReader, DynamicMetaLoadPlanner
from torch.distributed.checkpoint.default_planner import _EmptyStateDictLoadPlanner
from torch.distributed.checkpoint.filesystem import FileSystemReader, FileSystemWriter
from torch.distributed.checkpoint.state_dict_loader import _load
from torch.distributed.checkpoint.state_dict_saver import _save

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp", "BroadcastingTorchSaveReader", "DynamicMetaLoadPlanner"]


def dcp_to_torch_save(dcp_checkpoint_dir: str | os.PathLike[str], torch_save_path: str | os.PathLike[str]) -> None:
    """Writes a checkpoint's whole tensors into one file; one process does it.

    Args:
        dcp_checkpoint_dir: the checkpoint
        torch_save_path: the file

    Example:
        >>> torch.distributed.checkpoint.format_utils.dcp_to_torch_save.__name__
        'dcp_to_torch_save'
    """
    found: dict[str, Any] = {}
    _load(found, FileSystemReader(dcp_checkpoint_dir), Steps(None, 0, True), _EmptyStateDictLoadPlanner())
    torch.save(found, torch_save_path)


def torch_save_to_dcp(torch_save_path: str | os.PathLike[str], dcp_checkpoint_dir: str | os.PathLike[str]) -> None:
    """Makes a checkpoint out of a file of torch.save; one process does it. The file is unpickled: trust it.

    Args:
        torch_save_path: the file
        dcp_checkpoint_dir: the checkpoint

    Example:
        >>> torch.distributed.checkpoint.format_utils.torch_save_to_dcp.__name__
        'torch_save_to_dcp'
    """
    state = torch.load(torch_save_path, weights_only=False)
    _save(state, FileSystemWriter(dcp_checkpoint_dir), None, 0, True, None)
