"""`pipeline`: cuts a module into stages by tracing it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any

import torch
from torch import fx, nn
from torch.distributed.pipelining._split_graph import PREFIX, routes, split_graph
from torch.distributed.pipelining.stage import PipelineStage, build_stage
from torch.utils import _pytree as pytree

__all__ = ["Pipe", "PipeInfo", "SplitPoint", "pipe_split", "pipeline"]


class SplitPoint(Enum):
    """Where a module is cut: before or after a module inside of it.

    Example:
        >>> torch.distributed.pipelining.SplitPoint.END.value
        2
    """

    BEGINNING = 1
    END = 2


_tracers: list[_Tracer] = []


def pipe_split() -> None:
    """Says in the forward of a module that a stage ends here, for `pipeline`. It does nothing when the module computes.

    Example:
        >>> torch.distributed.pipelining.pipe_split()
    """
    if _tracers:
        _tracers[-1].mark()


class _Tracer(fx.Tracer):
    """Records a module, and marks the ends of stages."""

    def __init__(self, points: dict[nn.Module, SplitPoint]) -> None:
        super().__init__()
        self.points = points
        self.reached: set[nn.Module] = set()

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        """As usual, but for modules that are cut inside."""
        is_cut = any(inside is not m and inside in self.points for inside in m.modules())
        return not is_cut and super().is_leaf_module(m, module_qualified_name)

    def mark(self) -> None:
        self.create_node("call_function", pipe_split, (), {})

    def call_module(self, m: nn.Module, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        point = self.points.get(m)
        self.reached.add(m)
        if point is SplitPoint.BEGINNING:
            self.mark()
        output = super().call_module(m, forward, args, kwargs)
        if point is SplitPoint.END:
            self.mark()
        return output


@contextmanager
def _with_inputs(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[None]:
    """A block in which forward takes the given arguments only. Those without tensors have the given values."""
    original, signature = type(module).forward, inspect.signature(type(module).forward)
    try:
        bound = signature.bind(module, *args, **kwargs)
    except TypeError as error:
        raise TypeError(f"pipeline(): mb_args and mb_kwargs do not fit the forward of {type(module).__name__}: {error}") from None
    names: list[str] = []
    call: list[str] = []
    constants: dict[str, Any] = {}

    def add(name: str, value: Any, by_name: bool) -> None:
        names.append(name)
        if not any(isinstance(x, torch.Tensor) for x in pytree.tree_leaves(value)):
            constants[name] = value  # branches may depend on it
            name, own = f"_constants[{name!r}]", name
        else:
            own = name
        call.append(f"{own}={name}" if by_name else name)

    for name in list(bound.arguments)[1:]:
        kind, value = signature.parameters[name].kind, bound.arguments[name]
        if kind is inspect.Parameter.VAR_POSITIONAL:
            for k, each in enumerate(value):
                add(f"{name}_{k}", each, False)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            for key, each in value.items():
                add(key, each, True)
        else:
            add(name, value, kind is inspect.Parameter.KEYWORD_ONLY)
    scope: dict[str, Any] = {"_original": original, "_constants": constants}
    exec(f"def forward({', '.join(['self', *names])}): return _original({', '.join(['self', *call])})", scope)
    cls = type(module)
    module.__class__ = type(cls.__name__, (cls,), {"forward": scope["forward"], "__module__": cls.__module__})
    try:
        yield
    finally:
        module.__class__ = cls


@dataclass
class PipeInfo:
    """What `build_stage` needs of a module that was cut: the graph of its stages, and their number."""

    graph: fx.Graph
    num_stages: int
    has_loss_and_backward: bool

    def routes(self, stage_index: int) -> Any:
        """By stage: which arguments of a stage it sends, and which results it gets.

        Args:
            stage_index (int): the stage
        """
        return routes(self.graph, stage_index)


class Pipe(nn.Module):
    """A module cut into stages. Made by `pipeline`. Called, it computes them one after the other, and gives a tuple.

    Args:
        split_gm (GraphModule): a graph that calls the stages
        num_stages (int): how many there are
        has_loss_and_backward (bool): False: the loss is the schedule's
        loss_spec (object): None

    Example:
        >>> torch.distributed.pipelining.Pipe.__name__
        'Pipe'
    """

    def __init__(
        self, split_gm: fx.GraphModule, num_stages: int, has_loss_and_backward: bool = False, loss_spec: Any = None
    ) -> None:
        super().__init__()
        self.split_gm, self.executor = split_gm, fx.Interpreter(split_gm)
        self.num_stages, self.has_loss_and_backward, self.loss_spec = num_stages, has_loss_and_backward, loss_spec

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes all stages in this process.

        Args:
            *args (Any): the arguments that the module was traced with
            **kwargs (Any): or some of them by name

        Returns:
            a tuple of the results
        """
        output = self.split_gm(*args, **kwargs)
        return tuple(output) if isinstance(output, (tuple, list)) else (output,)

    def get_stage_module(self, stage_idx: int) -> nn.Module:
        """The part of the module that is a stage.

        Args:
            stage_idx (int): which stage, from 0

        Returns:
            a GraphModule, with the parameters of the module itself

        Raises:
            ValueError: there is no such stage
        """
        if not 0 <= stage_idx < self.num_stages:
            raise ValueError(f"Pipe.get_stage_module(): there is no stage {stage_idx} among {self.num_stages}")
        return getattr(self.split_gm, f"{PREFIX}{stage_idx}")

    def info(self) -> PipeInfo:
        """What `build_stage` needs besides a stage's module.

        Returns:
            a PipeInfo
        """
        return PipeInfo(self.split_gm.graph, self.num_stages, self.has_loss_and_backward)

    def build_stage(self, stage_index: int, device: Any, group: Any = None) -> PipelineStage:
        """A stage for a schedule.

        Args:
            stage_index (int): which stage, from 0
            device (device): where it computes; the stage's part of the module is moved there
            group (ProcessGroup, optional): the processes; all by default

        Returns:
            the stage
        """
        module = self.get_stage_module(stage_index).to(device)
        return build_stage(module, stage_index, self.info(), device, group)

    def print_readable(self) -> None:
        """Prints the code of the stages and of what calls them."""
        self.split_gm.print_readable()

    def __repr__(self) -> str:
        return repr(self.split_gm)

    @staticmethod
    def from_tracing(
        mod: nn.Module, example_args: tuple[Any, ...], example_kwargs: dict[str, Any] | None = None,
        split_policy: Callable[[fx.GraphModule], fx.GraphModule] | None = None,
    ) -> Pipe:  # fmt: skip
        """A module cut at its calls of `pipe_split`.

        Args:
            mod (Module): the module
            example_args (tuple): arguments of its forward
            example_kwargs (dict, optional): keyword arguments
            split_policy (Callable, optional): takes the traced module, and adds calls of `pipe_split` to its graph

        Returns:
            the stages
        """
        return _traced(mod, example_args, example_kwargs or {}, {}, split_policy)


def _traced(
    module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], points: dict[nn.Module, SplitPoint], policy: Any
) -> Pipe:  # fmt: skip
    tracer = _Tracer(points)
    with _with_inputs(module, args, kwargs):
        _tracers.append(tracer)
        try:
            graph = tracer.trace(module)
        except (fx.proxy.TraceError, TypeError) as error:
            raise RuntimeError(
                f"pipeline(): {type(module).__name__} cannot be traced, because its forward depends on values: {error}. Give "
                "PipelineStage the parts of the module instead"
            ) from error
        finally:
            _tracers.pop()
    for name, inside in module.named_modules():
        if inside in points and inside not in tracer.reached:
            raise RuntimeError(
                f"pipeline(): the forward of {type(module).__name__} does not call {name!r}, where it is to be cut"
            )
    if policy is not None:
        graph = policy(fx.GraphModule(module, graph)).graph
    split, count = split_graph(module, graph, pipe_split)
    return Pipe(split, count)


def pipeline(
    module: nn.Module, mb_args: tuple[Any, ...], mb_kwargs: dict[str, Any] | None = None,
    split_spec: dict[str, SplitPoint] | None = None,
    split_policy: Callable[[fx.GraphModule], fx.GraphModule] | None = None,
) -> Pipe:  # fmt: skip
    """Cuts a module into stages: where its forward calls `pipe_split`, and before and after modules inside of it.

    The module is traced by `torch.fx`: its forward is run once with recorded values, so that its branches and loops must not
    depend on them. Arguments that are not given have their defaults, and those without tensors the values that are given here. A
    value that a later stage needs goes there directly.

    Args:
        module (Module): the module
        mb_args (tuple): arguments of its forward for one part of a batch
        mb_kwargs (dict, optional): keyword arguments
        split_spec (dict, optional): a SplitPoint for each name of a module inside at which it is cut
        split_policy (Callable, optional): takes the traced module, and adds calls of `pipe_split` to its graph

    Returns:
        the stages

    Raises:
        AttributeError: split_spec names a module that is not there
        ValueError: both split_spec and split_policy are given
        TypeError: the arguments do not fit the module's forward
        RuntimeError: the module cannot be traced, or its forward does not call a module at which it is to be cut

    Example:
        >>> from torch.distributed.pipelining import SplitPoint, pipeline
        >>> model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
        >>> pipe = pipeline(model, (torch.ones(1, 3),), split_spec={"1": SplitPoint.END})
        >>> pipe.num_stages, [name for name, _ in pipe.get_stage_module(1).named_parameters()]
        (2, ['2.weight', '2.bias'])
    """
    if split_spec is not None and split_policy is not None:
        raise ValueError("pipeline(): give split_spec or split_policy, not both")
    points = {}
    for name, point in (split_spec or {}).items():
        if not isinstance(point, SplitPoint):
            raise TypeError(f"pipeline(): split_spec has {point!r} for {name!r}, expected a SplitPoint")
        points[module.get_submodule(name)] = point
    return _traced(module, mb_args, mb_kwargs or {}, points, split_policy)
