"""How a module is spread over processes, and what becomes of its arguments and results."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import nn
from torch.distributed.tensor._api import DTensor, distribute_module, distribute_tensor
from torch.distributed.tensor.placement_types import Placement, Replicate, Shard

Layouts = "Placement | tuple[Placement | None, ...] | None"


class ParallelStyle:
    """How `parallelize_module` spreads a module. A class derived from it defines `_apply(module, device_mesh)`.

    Example:
        >>> isinstance(torch.distributed.tensor.parallel.ColwiseParallel(), torch.distributed.tensor.parallel.ParallelStyle)
        True
    """

    src_data_rank: int | None = 0

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        raise NotImplementedError(f"{type(self).__name__} does not define _apply")

    def _spread(self, module: nn.Module, name: str, mesh: Any, placement: Placement) -> None:
        """Replaces a parameter of the module, if it has it."""
        param = module._parameters.get(name)
        if param is not None and not isinstance(param, DTensor):
            made = distribute_tensor(param.detach(), mesh, [placement], src_data_rank=self.src_data_rank)
            module.register_parameter(name, nn.Parameter(made, requires_grad=param.requires_grad))


def _as_dtensor(value: Any, mesh: Any, layouts: tuple[Placement, ...]) -> Any:
    if isinstance(value, torch.Tensor) and not isinstance(value, DTensor):
        return DTensor.from_local(value, mesh, layouts)
    return value


def _moved(value: Any, layouts: tuple[Placement, ...]) -> Any:
    if not isinstance(value, DTensor):
        return value
    ndim = value.dim()
    target = tuple(Shard(p.dim % ndim) if isinstance(p, Shard) else p for p in layouts)
    return value if value.placements == target else value.redistribute(placements=target)


class _Linear(ParallelStyle):
    """What linear modules and embeddings share."""

    desired_input_layouts: tuple[Placement, ...]

    def __init__(self, given: Placement, result: Placement, use_local_output: bool) -> None:
        super().__init__()
        self.input_layouts, self.output_layouts = (given,), (result,)
        self.use_local_output = use_local_output

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(input_layouts={self.input_layouts}, output_layouts={self.output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )

    def _layouts(self, module: nn.Module) -> dict[str, Placement]:
        raise NotImplementedError

    def _before(self, module: nn.Module, inputs: Any, mesh: Any) -> Any:
        first = _moved(_as_dtensor(inputs[0], mesh, self.input_layouts), self.desired_input_layouts)
        return (first, *inputs[1:])

    def _after(self, module: nn.Module, outputs: Any, mesh: Any) -> Any:
        outputs = _moved(outputs, self.output_layouts)
        return outputs.to_local() if self.use_local_output and isinstance(outputs, DTensor) else outputs

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        layouts = self._layouts(module)

        def part(name: str, child: nn.Module, mesh: Any) -> None:
            for key, placement in layouts.items():
                self._spread(child, key, mesh, placement)

        return distribute_module(module, device_mesh, part, self._before, self._after)


class ColwiseParallel(_Linear):
    """Each process has some of the columns of the result: rows of a linear module's weight, columns of an embedding's.

    Args:
        input_layouts: of the argument (default: whole)
        output_layouts: of the result (default: cut along the last dimension)
        use_local_output: whether the result is this process's part as a plain tensor

    Example:
        >>> torch.distributed.tensor.parallel.ColwiseParallel().output_layouts
        (Shard(dim=-1),)
    """

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None, use_local_output: bool = True
    ) -> None:  # fmt: skip
        super().__init__(input_layouts or Replicate(), output_layouts or Shard(-1), use_local_output)
        self.desired_input_layouts = (Replicate(),)

    def _layouts(self, module: nn.Module) -> dict[str, Placement]:
        if isinstance(module, nn.Linear):
            return {"weight": Shard(0), "bias": Shard(0)}
        if isinstance(module, nn.Embedding):
            return {"weight": Shard(1)}
        raise NotImplementedError(f"ColwiseParallel: expected a Linear or an Embedding, got {type(module).__name__}")


class RowwiseParallel(_Linear):
    """Each process has some of the columns of the argument: columns of a linear module's weight, rows of an embedding's.

    Args:
        input_layouts: of the argument (default: cut along the last dimension)
        output_layouts: of the result (default: whole)
        use_local_output: whether the result is a plain tensor

    Example:
        >>> torch.distributed.tensor.parallel.RowwiseParallel().input_layouts
        (Shard(dim=-1),)
    """

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None, use_local_output: bool = True
    ) -> None:  # fmt: skip
        super().__init__(input_layouts or Shard(-1), output_layouts or Replicate(), use_local_output)

    def _layouts(self, module: nn.Module) -> dict[str, Placement]:
        if isinstance(module, nn.Linear):
            self.desired_input_layouts = (Shard(-1),)
            return {"weight": Shard(1), "bias": Replicate()}
        if isinstance(module, nn.Embedding):
            self.desired_input_layouts = (Replicate(),)
            return {"weight": Shard(0)}
        raise NotImplementedError(f"RowwiseParallel: expected a Linear or an Embedding, got {type(module).__name__}")


class SequenceParallel(ParallelStyle):
    """Each process has some of the positions of a sequence, and whole parameters.

    Args:
        sequence_dim: the dimension of positions
        use_local_output: whether the result is a plain tensor

    Example:
        >>> torch.distributed.tensor.parallel.SequenceParallel().sequence_sharding
        (Shard(dim=1),)
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        super().__init__()
        self.sequence_sharding = (Shard(sequence_dim),)
        self.use_local_output = use_local_output

    def _before(self, module: nn.Module, inputs: Any, mesh: Any) -> Any:
        if not isinstance(inputs[0], torch.Tensor):
            raise ValueError(f"SequenceParallel: expected a tensor as the first argument, got {type(inputs[0]).__name__}")
        first = _moved(_as_dtensor(inputs[0], mesh, self.sequence_sharding), self.sequence_sharding)
        return (first, *inputs[1:])

    def _after(self, module: nn.Module, outputs: Any, mesh: Any) -> Any:
        return outputs.to_local() if self.use_local_output else outputs

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        def part(name: str, child: nn.Module, mesh: Any) -> None:
            for key in list(child._parameters):
                self._spread(child, key, mesh, Replicate())

        return distribute_module(module, device_mesh, part, self._before, self._after)

    def __repr__(self) -> str:
        return f"SequenceParallel(sequence_dim={self.sequence_sharding[0].dim}, use_local_output={self.use_local_output})"


def _tuple(layouts: Any) -> tuple[Any, ...] | None:
    return layouts if layouts is None or isinstance(layouts, tuple) else (layouts,)


def _prepared(values: Sequence[Any], mesh: Any, given: Sequence[Any], desired: Sequence[Any], local: bool) -> tuple[Any, ...]:
    found = []
    for value, layout, target in zip(values, given, desired):
        if layout is not None:
            value = _as_dtensor(value, mesh, (layout,))
            if target is not None:
                value = _moved(value, (target,))
            if local and isinstance(value, DTensor):
                value = value.to_local()
        found.append(value)
    return tuple(found)


class PrepareModuleInput(ParallelStyle):
    """Changes the layout of a module's arguments.

    Args:
        input_layouts: of the positional arguments as they come, None for what is no tensor
        desired_input_layouts: what they become
        input_kwarg_layouts: of keyword arguments, by name
        desired_input_kwarg_layouts: what they become
        use_local_output: whether the module gets plain tensors

    Example:
        >>> from torch.distributed.tensor import Replicate, Shard
        >>> style = torch.distributed.tensor.parallel.PrepareModuleInput(
        ...     input_layouts=Shard(0), desired_input_layouts=Replicate())
        >>> style.input_layouts
        (Shard(dim=0),)
    """

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None, input_kwarg_layouts: Any = None,
        desired_input_kwarg_layouts: Any = None, use_local_output: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        self.input_layouts, self.desired_input_layouts = _tuple(input_layouts), _tuple(desired_input_layouts)
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        self.use_local_output = use_local_output
        if self.input_layouts is not None:
            if self.desired_input_layouts is None:
                raise AssertionError("PrepareModuleInput: input_layouts need desired_input_layouts")
            if len(self.input_layouts) != len(self.desired_input_layouts):
                raise AssertionError("PrepareModuleInput: input_layouts and desired_input_layouts have different lengths")

    def _before(self, mesh: Any, module: nn.Module, args: Any, kwargs: Any) -> Any:
        if self.input_layouts is not None:
            if len(args) != len(self.input_layouts):
                raise ValueError(f"PrepareModuleInput: got {len(args)} arguments, and layouts of {len(self.input_layouts)}")
            args = _prepared(args, mesh, self.input_layouts, self.desired_input_layouts or (), self.use_local_output)
        changed = dict(kwargs)
        for name, value in kwargs.items():
            given, desired = self.input_kwarg_layouts.get(name), self.desired_input_kwarg_layouts.get(name)
            changed[name] = _prepared([value], mesh, [given], [desired], self.use_local_output)[0]
        return args, changed

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        module.register_forward_pre_hook(partial(self._before, device_mesh), with_kwargs=True)
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleInput(input_layouts={self.input_layouts}, desired_input_layouts={self.desired_input_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class PrepareModuleOutput(ParallelStyle):
    """Changes the layout of a module's results.

    Args:
        output_layouts: of the results as they come, None for what is no tensor
        desired_output_layouts: what they become
        use_local_output: whether the results are plain tensors

    Example:
        >>> from torch.distributed.tensor import Replicate, Shard
        >>> style = torch.distributed.tensor.parallel.PrepareModuleOutput(
        ...     output_layouts=Shard(0), desired_output_layouts=Replicate())
        >>> style.desired_output_layouts
        (Replicate(),)
    """

    def __init__(self, *, output_layouts: Any, desired_output_layouts: Any, use_local_output: bool = True) -> None:
        super().__init__()
        self.output_layouts = _tuple(output_layouts) or ()
        self.desired_output_layouts = _tuple(desired_output_layouts) or ()
        self.use_local_output = use_local_output
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError("PrepareModuleOutput: output_layouts and desired_output_layouts have different lengths")

    def _after(self, mesh: Any, module: nn.Module, inputs: Any, outputs: Any) -> Any:
        single = not isinstance(outputs, tuple)
        values = (outputs,) if single else outputs
        if len(values) != len(self.output_layouts):
            raise ValueError(f"PrepareModuleOutput: got {len(values)} results, and layouts of {len(self.output_layouts)}")
        found = _prepared(values, mesh, self.output_layouts, self.desired_output_layouts, self.use_local_output)
        return found[0] if single else found

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        module.register_forward_hook(partial(self._after, device_mesh))
        return module

    def __repr__(self) -> str:
        return (
            f"PrepareModuleOutput(output_layouts={self.output_layouts}, desired_output_layouts={self.desired_output_layouts}, "
            f"use_local_output={self.use_local_output})"
        )


class PrepareModuleInputOutput(ParallelStyle):
    """Changes the layout of a module's arguments and results.

    Args:
        input_layouts: of the positional arguments as they come, None for what is no tensor
        desired_input_layouts: what they become
        input_kwarg_layouts: of keyword arguments, by name
        desired_input_kwarg_layouts: what they become
        use_local_input: whether the module gets plain tensors
        output_layouts: of the results as they come
        desired_output_layouts: what they become
        use_local_output: whether the results are plain tensors

    Example:
        >>> torch.distributed.tensor.parallel.PrepareModuleInputOutput.__name__
        'PrepareModuleInputOutput'
    """

    def __init__(
        self, *, input_layouts: Any = None, desired_input_layouts: Any = None, input_kwarg_layouts: Any = None,
        desired_input_kwarg_layouts: Any = None, use_local_input: bool = False, output_layouts: Any = None,
        desired_output_layouts: Any = None, use_local_output: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.prepare_module_input = PrepareModuleInput(
            input_layouts=input_layouts, desired_input_layouts=desired_input_layouts, input_kwarg_layouts=input_kwarg_layouts,
            desired_input_kwarg_layouts=desired_input_kwarg_layouts, use_local_output=use_local_input,
        )  # fmt: skip
        self.prepare_module_output = PrepareModuleOutput(
            output_layouts=output_layouts, desired_output_layouts=desired_output_layouts, use_local_output=use_local_output
        )

    def _apply(self, module: nn.Module, device_mesh: Any) -> nn.Module:
        return self.prepare_module_output._apply(self.prepare_module_input._apply(module, device_mesh), device_mesh)
