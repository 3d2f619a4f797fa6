"""A stage of a pipeline: a part of the module, and its messages with the stages before and after it."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.utils import _pytree as pytree

__all__ = ["PipelineStage"]

# Tags keep messages apart that go between the same two processes.
_FORWARD, _BACKWARD, _SHAPES = 0, 1, 2
_MAX_TENSORS, _MAX_MICROBATCHES, _MAX_STAGES = 16, 4096, 1024


class PipelineStage:
    """A part of a module that is cut into stages. Stage k is on process k, modulo the number of processes.

    Args:
        submodule (Module): the part
        stage_index (int): which stage it is, from 0
        num_stages (int): how many there are
        device (device): "cpu"
        input_args (object, optional): of no effect: shapes are found in the first step
        output_args (object, optional): of no effect
        output_grads (object, optional): of no effect
        group (ProcessGroup, optional): the processes; all by default
        dw_builder (Callable, optional): not supported
        get_mesh (Callable, optional): of no effect

    Raises:
        ValueError: a stage that is not there, or fewer stages than processes

    Example:
        >>> torch.distributed.pipelining.PipelineStage.__name__
        'PipelineStage'
    """

    def __init__(
        self, submodule: nn.Module, stage_index: int, num_stages: int, device: Any, input_args: Any = None,
        output_args: Any = None, output_grads: Any = None, group: Any = None, dw_builder: Any = None, get_mesh: Any = None,
    ) -> None:  # fmt: skip
        if dw_builder is not None:
            raise NotImplementedError("PipelineStage: this version has no dw_builder")
        if not 0 <= stage_index < num_stages:
            raise ValueError(f"PipelineStage: there is no stage {stage_index} among {num_stages}")
        self.submod, self.stage_index, self.num_stages = submodule, stage_index, num_stages
        self.device, self.group = torch.device(device), group
        self.group_rank, self.group_size = dist.get_rank(group), dist.get_world_size(group)
        if self.group_size > num_stages:
            raise ValueError(f"PipelineStage: {num_stages} stages are fewer than the {self.group_size} processes")
        self.is_first, self.is_last = stage_index == 0, stage_index == num_stages - 1
        self.has_backward = True
        self.neighbours: dict[int, PipelineStage] = {}  # stages of this process
        self._shapes: dict[tuple[int, int], Any] = {}
        self.clear()

    def clear(self) -> None:
        """Forgets what the last step left."""
        self.inputs: dict[int, list[torch.Tensor]] = {}
        self.outputs: dict[int, Any] = {}
        self.results: dict[int, Any] = {}
        self.local: dict[tuple[int, int], list[torch.Tensor]] = {}
        self.works: list[tuple[Any, Any]] = []

    # --- messages ---

    def _rank_of(self, stage: int) -> int:
        return stage % self.group_size

    def _tag(self, kind: int, sender: int, microbatch: int, k: int) -> int:
        return ((kind * _MAX_STAGES + sender) * _MAX_MICROBATCHES + microbatch) * _MAX_TENSORS + k

    def _send(self, kind: int, to: int, microbatch: int, tensors: list[torch.Tensor]) -> None:
        neighbour = self.neighbours.get(to)
        if neighbour is not None:
            neighbour.local[(kind, microbatch)] = [t.detach() for t in tensors]
            return
        rank, about = self._rank_of(to), [(tuple(t.shape), t.dtype, t.requires_grad) for t in tensors]
        if self._shapes.get((kind, 0)) != about:
            # Shapes are sent where they differ from those of the message before.
            self._shapes[(kind, 0)] = about
            header = torch.tensor([1], dtype=torch.int64)
            self._isend(header, rank, self._tag(_SHAPES, self.stage_index * 2 + kind, microbatch, 0))
            dist.send_object_list([about], group=self.group, group_dst=rank)
        else:
            header = torch.tensor([0], dtype=torch.int64)
            self._isend(header, rank, self._tag(_SHAPES, self.stage_index * 2 + kind, microbatch, 0))
        for k, t in enumerate(tensors):
            self._isend(t.detach().contiguous(), rank, self._tag(kind, self.stage_index, microbatch, k))

    def _isend(self, t: torch.Tensor, rank: int, tag: int) -> None:
        self.works.append((dist.isend(t, group=self.group, group_dst=rank, tag=tag), t))

    def _receive(self, kind: int, sender: int, microbatch: int) -> list[torch.Tensor]:
        if sender in self.neighbours:
            return self.local.pop((kind, microbatch))
        rank = self._rank_of(sender)
        header = torch.empty(1, dtype=torch.int64)
        dist.recv(header, group=self.group, group_src=rank, tag=self._tag(_SHAPES, sender * 2 + kind, microbatch, 0))
        if header.item():
            found: list[Any] = [None]
            dist.recv_object_list(found, group=self.group, group_src=rank)
            self._shapes[(kind, 1)] = found[0]
        tensors = []
        for k, (shape, dtype, requires_grad) in enumerate(self._shapes[(kind, 1)]):
            t = torch.empty(shape, dtype=dtype)
            dist.recv(t, group=self.group, group_src=rank, tag=self._tag(kind, sender, microbatch, k))
            tensors.append(t.requires_grad_(requires_grad) if kind == _FORWARD else t)
        return tensors

    # --- computing ---

    def forward(self, microbatch: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Computes one part of the batch, and sends the result on.

        Args:
            microbatch (int): which part
            args (tuple): of the first stage
            kwargs (dict): of every stage

        Returns:
            the result
        """
        if self.is_first:
            inputs: list[Any] = list(args)
        else:
            inputs = self._receive(_FORWARD, self.stage_index - 1, microbatch)
            for t in inputs:
                if t.is_floating_point() and not t.requires_grad and self.has_backward:
                    t.requires_grad_()
        output = self.submod(*inputs, **kwargs)
        flat = [t for t in pytree.tree_leaves(output) if isinstance(t, torch.Tensor)]
        if len(flat) > _MAX_TENSORS:
            raise ValueError(f"PipelineStage: a stage returns {len(flat)} tensors; at most {_MAX_TENSORS} are supported")
        self.inputs[microbatch] = [t for t in inputs if isinstance(t, torch.Tensor)]
        self.outputs[microbatch] = flat
        if self.is_last:
            self.results[microbatch] = output
        else:
            self._send(_FORWARD, self.stage_index + 1, microbatch, flat)
        return output

    def backward(self, microbatch: int, loss: torch.Tensor | None) -> None:
        """Computes the gradients of one part of the batch, and sends those of the inputs back.

        Args:
            microbatch (int): which part
            loss (Tensor, optional): of the last stage
        """
        outputs, inputs = self.outputs.pop(microbatch), self.inputs.pop(microbatch)
        if self.is_last:
            assert loss is not None
            loss.backward()
        else:
            grads = self._receive(_BACKWARD, self.stage_index + 1, microbatch)
            pairs = [(t, g) for t, g in zip([t for t in outputs if t.is_floating_point()], grads) if t.requires_grad]
            torch.autograd.backward([t for t, _ in pairs], [g for _, g in pairs])
        if not self.is_first:
            back = [torch.zeros_like(t) if t.grad is None else t.grad for t in inputs if t.is_floating_point()]
            self._send(_BACKWARD, self.stage_index - 1, microbatch, back)

    def finish(self) -> None:
        """Waits until everything is sent."""
        for work, _ in self.works:
            work.wait()
        self.works.clear()

    def scale_grads(self, factor: int) -> None:
        """Divides the gradients by the number of parts of a batch.

        Args:
            factor (int): the number
        """
        for p in self.submod.parameters():
            if p.grad is not None and factor != 1:
                p.grad.div_(factor)
