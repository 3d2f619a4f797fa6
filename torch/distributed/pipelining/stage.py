"""A stage of a pipeline: a part of the module, what it gets from other stages, and what it sends to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining._messages import BACKWARD, FORWARD, MAX_STAGES, Messages
from torch.distributed.pipelining._split_backward import SplitBackward
from torch.utils import _pytree as pytree

__all__ = ["PipelineStage", "build_stage"]


class PipelineStage:
    """A part of a module that is cut into stages.

    Stage k gets the results of stage k - 1, and is on process k, modulo the number of processes, if the schedule does not say
    otherwise.

    Args:
        submodule (Module): the part
        stage_index (int): which stage it is, from 0
        num_stages (int): how many there are
        device (device): where it computes
        input_args (object, optional): of no effect: shapes are found in the first step
        output_args (object, optional): of no effect
        output_grads (object, optional): of no effect
        input_grads (object, optional): of no effect
        group (ProcessGroup, optional): the processes; all by default
        dw_builder (Callable, optional): for modules whose backward puts the gradients of the parameters off: called after
            backward of a part of the batch, returns a function that computes them
        get_mesh (Callable, optional): of no effect

    Raises:
        ValueError: a stage that is not there, more than 256 stages, or fewer stages than processes

    Example:
        >>> torch.distributed.pipelining.PipelineStage.__name__
        'PipelineStage'
    """

    def __init__(
        self, submodule: nn.Module, stage_index: int, num_stages: int, device: Any, input_args: Any = None,
        output_args: Any = None, output_grads: Any = None, input_grads: Any = None, group: Any = None,
        dw_builder: Callable[[], Callable[..., None]] | None = None, get_mesh: Any = None,
    ) -> None:  # fmt: skip
        if not 0 <= stage_index < num_stages:
            raise ValueError(f"PipelineStage: there is no stage {stage_index} among {num_stages}")
        if num_stages > MAX_STAGES:
            raise ValueError(f"PipelineStage: expected up to {MAX_STAGES} stages, got {num_stages}")
        self.submod, self.stage_index, self.num_stages = submodule, stage_index, num_stages
        self.device, self.group, self.dw_builder = torch.device(device), group, dw_builder
        self.group_rank, self.group_size = dist.get_rank(group), dist.get_world_size(group)
        if self.group_size > num_stages:
            raise ValueError(f"PipelineStage: {num_stages} stages are fewer than the {self.group_size} processes")
        self.is_first, self.is_last = stage_index == 0, stage_index == num_stages - 1
        self.has_backward = True
        # By stage: which arguments it sends, and which results it gets; None: all.
        self.sources: dict[int, list[int] | None] = {} if self.is_first else {stage_index - 1: None}
        self.targets: dict[int, list[int] | None] = {} if self.is_last else {stage_index + 1: None}
        self.messages = Messages(stage_index, group, self.device)
        self.place_stages({k: k % self.group_size for k in range(num_stages)}, {})
        self.clear()

    def place_stages(self, rank_of: dict[int, int], neighbours: dict[int, PipelineStage]) -> None:
        """Says where stages are.

        Args:
            rank_of (dict): the rank in the group of each stage
            neighbours (dict): the stages of this process
        """
        self.stage_index_to_group_rank = self.messages.rank_of = rank_of
        self.messages.neighbours = {k: stage.messages for k, stage in neighbours.items()}

    def clear(self) -> None:
        """Forgets what the last step left."""
        self.inputs: dict[int, list[Any]] = {}
        self.outputs: dict[int, list[Any]] = {}
        self.results: dict[int, Any] = {}
        self.weight_parts: dict[int, Callable[[], None]] = {}
        self.messages.clear()

    # --- forward ---

    def forward(self, microbatch: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Computes one part of the batch, and sends the result on.

        Args:
            microbatch (int): which part
            args (tuple): of the first stage
            kwargs (dict): of every stage

        Returns:
            the result
        """
        inputs: list[Any] = list(args) if self.is_first else self._received(microbatch)
        output = self.submod(*inputs, **kwargs)
        if self.is_last:
            self.inputs[microbatch], self.outputs[microbatch], self.results[microbatch] = inputs, [], output
            return output
        flat = self._flat(output)
        self.inputs[microbatch], self.outputs[microbatch] = inputs, flat
        for target, chosen in self.targets.items():
            self.messages.send(FORWARD, target, microbatch, flat if chosen is None else [flat[k] for k in chosen])
        return output

    def _received(self, microbatch: int) -> list[Any]:
        found: dict[int, Any] = {}
        for source, places in self.sources.items():
            values = self.messages.receive(FORWARD, source, microbatch)
            found.update(zip(range(len(values)) if places is None else places, values))
        inputs = [found[k] for k in sorted(found)]
        for t in inputs:
            if self.has_backward and isinstance(t, torch.Tensor) and t.is_floating_point() and not t.requires_grad:
                t.requires_grad_()
        return inputs

    def _flat(self, output: Any) -> list[Any]:
        """What other stages may get of a result."""
        return [t for t in pytree.tree_leaves(output) if isinstance(t, torch.Tensor)]

    # --- backward ---

    def backward(self, microbatch: int, loss: torch.Tensor | None) -> None:
        """Computes the gradients of one part of the batch, and sends those of the inputs back.

        Args:
            microbatch (int): which part
            loss (Tensor, optional): of the last stage
        """
        roots, grads = self._roots(microbatch, loss)
        if roots:
            torch.autograd.backward(roots, grads)
        if self.dw_builder is not None:
            self.dw_builder()()
        self._send_back(microbatch, [t.grad if _has_gradient(t) else None for t in self.inputs[microbatch]])

    def backward_inputs(self, microbatch: int, loss: torch.Tensor | None) -> None:
        """Computes the gradients of the inputs only, and sends them back. `backward_weights` does the rest.

        Args:
            microbatch (int): which part
            loss (Tensor, optional): of the last stage
        """
        if self.dw_builder is not None or _communicates(self.submod):
            # Hooks of such modules expect backward as a whole.
            builder, self.dw_builder = self.dw_builder, None
            try:
                self.backward(microbatch, loss)
            finally:
                self.dw_builder = builder
            self.weight_parts[microbatch] = builder() if builder is not None else lambda: None
            return
        roots, grads = self._roots(microbatch, loss)
        inputs = self.inputs[microbatch]
        split = SplitBackward(roots, grads, [] if self.is_first else [t for t in inputs if _has_gradient(t)])
        self.weight_parts[microbatch] = split.weight_gradients if roots else lambda: None
        found = iter(split.input_gradients() if roots else [])
        self._send_back(microbatch, [next(found, None) if _has_gradient(t) else None for t in inputs])

    def backward_weights(self, microbatch: int) -> None:
        """Computes the gradients that `backward_inputs` left.

        Args:
            microbatch (int): which part
        """
        self.weight_parts.pop(microbatch)()

    def _roots(self, microbatch: int, loss: torch.Tensor | None) -> tuple[list[torch.Tensor], list[torch.Tensor | None]]:
        """Where backward begins: at the loss, or at the results, with the sums of what other stages send for them."""
        outputs = self.outputs.pop(microbatch)
        if self.is_last:
            assert loss is not None
            return [loss], [None]
        grads: list[torch.Tensor | None] = [None] * len(outputs)
        for target, chosen in self.targets.items():
            received = self.messages.receive(BACKWARD, target, microbatch)
            for k, grad in zip(range(len(outputs)) if chosen is None else chosen, received):
                if grad is not None:
                    grads[k] = grad if grads[k] is None else grads[k] + grad
        pairs = [(t, g) for t, g in zip(outputs, grads) if g is not None and isinstance(t, torch.Tensor) and t.requires_grad]
        return [t for t, _ in pairs], [g for _, g in pairs]

    def _send_back(self, microbatch: int, grads: list[torch.Tensor | None]) -> None:
        inputs = self.inputs.pop(microbatch)
        for source, places in self.sources.items():
            chosen = range(len(inputs)) if places is None else places
            back = [torch.zeros_like(inputs[k]) if grads[k] is None and _has_gradient(inputs[k]) else grads[k] for k in chosen]
            self.messages.send(BACKWARD, source, microbatch, back)

    # --- the end of a step ---

    def finish(self) -> None:
        """Waits until everything is sent."""
        self.messages.finish()

    def scale_grads(self, factor: int) -> None:
        """Divides the gradients by the number of parts of a batch.

        Args:
            factor (int): the number
        """
        for p in self.submod.parameters():
            if p.grad is not None and factor != 1:
                p.grad.div_(factor)


def _has_gradient(t: Any) -> bool:
    return isinstance(t, torch.Tensor) and t.requires_grad


def _communicates(module: nn.Module) -> bool:
    """Whether backward of a module sends gradients."""
    return any(isinstance(m, nn.parallel.DistributedDataParallel) or hasattr(m, "_fsdp_state") for m in module.modules())


class _PipelineStage(PipelineStage):
    """A stage that `pipeline` has cut: it may get values from any stage before it, and its results are a tuple of any values."""

    def __init__(self, stage_module: nn.Module, stage_index: int, pipe_info: Any, device: Any, group: Any = None) -> None:
        super().__init__(stage_module, stage_index, pipe_info.num_stages, device, group=group)
        self.pipe_info = pipe_info
        self.sources, self.targets = pipe_info.routes(stage_index)

    def forward(self, microbatch: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """As of PipelineStage. Keyword arguments go to the first stage, which sends them on."""
        return super().forward(microbatch, args, kwargs if self.is_first else {})

    def _flat(self, output: Any) -> list[Any]:
        values = list(output) if isinstance(output, tuple) else [output]
        for value in values:
            if not isinstance(value, torch.Tensor) and any(isinstance(x, torch.Tensor) for x in pytree.tree_leaves(value)):
                raise TypeError(f"PipelineStage: a stage sends tensors and numbers, and not a {type(value).__name__} of tensors")
        return values


def build_stage(stage_module: nn.Module, stage_index: int, pipe_info: Any, device: Any, group: Any = None) -> PipelineStage:
    """A stage of a module that `pipeline` has cut.

    Args:
        stage_module (Module): the part, such as `Pipe.get_stage_module` gives, maybe wrapped
        stage_index (int): which stage it is, from 0
        pipe_info (PipeInfo): of `Pipe.info()`
        device (device): where it computes
        group (ProcessGroup, optional): the processes; all by default

    Returns:
        the stage

    Example:
        >>> torch.distributed.pipelining.build_stage.__name__
        'build_stage'
    """
    return _PipelineStage(stage_module, stage_index, pipe_info, device, group)
