"""A model as a graph for TensorBoard.

`torch.fx` records the operators of the model. Where it cannot, as when control flow depends on values, the model runs once, and
hooks record which module got what from which.
"""

from __future__ import annotations

from typing import Any

from tensorboard.compat.proto.config_pb2 import RunMetadata
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.step_stats_pb2 import DeviceStepStats, StepStats
from tensorboard.compat.proto.versions_pb2 import VersionDef

import torch
from torch.utils._pytree import tree_leaves
from torch.utils.tensorboard._proto_graph import node_proto


def _shape_of(value: Any) -> list[int] | None:
    """Of the first tensor in a value."""
    return next((list(leaf.shape) for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)), None)


def _scope(model: torch.nn.Module, path: str) -> str:
    """The scopes around a module: `Net/Sequential[body]/Linear[0]`."""
    names, module = [type(model).__name__], model
    for part in path.split(".") if path else ():
        module = getattr(module, part)
        names.append(f"{type(module).__name__}[{part}]")
    return "/".join(names)


def _nodes_of_operators(model: torch.nn.Module, args: tuple[Any, ...]) -> list[NodeDef]:
    from torch import fx

    graph_module = fx.symbolic_trace(model)

    class Recorder(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            value = super().run_node(n)
            shapes[n] = _shape_of(value)
            return value

    shapes: dict[fx.Node, list[int] | None] = {}
    Recorder(graph_module).run(*args)
    names: dict[fx.Node, str] = {}
    nodes = []
    root = type(model).__name__
    for node in graph_module.graph.nodes:
        target = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
        if node.op == "placeholder":
            names[node], op = f"input/{node.name}", "IO Node"
        elif node.op == "output":
            names[node], op = f"output/{node.name}", "IO Node"
        elif node.op == "call_module":
            module = model.get_submodule(target)
            names[node], op = f"{_scope(model, target)}/{node.name}", type(module).__name__
        else:
            names[node], op = f"{root}/{node.name}", "prim::GetAttr" if node.op == "get_attr" else target
        nodes.append(node_proto(
            names[node], op, [names[source] for source in node.all_input_nodes], outputsize=shapes[node],
            attributes="" if node.op in ("placeholder", "output") else f"{{{node.op}: {target}}}",
        ))  # fmt: skip
    return nodes


def _nodes_of_modules(model: torch.nn.Module, args: tuple[Any, ...]) -> list[NodeDef]:
    nodes: list[NodeDef] = []
    producers: dict[int, str] = {}
    alive: list[Any] = []  # keeps the tensors, so that none takes the id of another
    calls: dict[str, int] = {}

    def tensors(value: Any) -> list[torch.Tensor]:
        found = [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
        alive.extend(found)
        return found

    def sources(value: Any) -> list[str]:
        return list(dict.fromkeys(producers[id(t)] for t in tensors(value) if id(t) in producers))

    def record(path: str) -> Any:
        def hook(module: torch.nn.Module, inputs: Any, keywords: Any, output: Any) -> None:
            name = f"{_scope(model, path)}/call"
            calls[name] = calls.get(name, 0) + 1
            name += f"_{calls[name] - 1}" if calls[name] > 1 else ""
            nodes.append(node_proto(
                name, type(module).__name__, sources((inputs, keywords)), outputsize=_shape_of(output), attributes=path,
            ))  # fmt: skip
            for t in tensors(output):
                if path or id(t) not in producers:
                    producers.setdefault(id(t), name)

        return hook

    for position, t in enumerate(tensors(args)):
        producers[id(t)] = f"input/{position}"
        nodes.append(node_proto(producers[id(t)], "IO Node", outputsize=list(t.shape)))
    hooks = [m.register_forward_hook(record(path), with_kwargs=True) for path, m in model.named_modules()]
    try:
        output = model(*args)
    finally:
        for hook in hooks:
            hook.remove()
    nodes.append(node_proto("output/output", "IO Node", sources(output), outputsize=_shape_of(output)))
    return nodes


def graph(
    model: torch.nn.Module, args: Any, verbose: bool = False, use_strict_trace: bool = True
) -> tuple[GraphDef, RunMetadata]:
    """The graph of a model called with `args` in eval mode, and what TensorBoard wants to know of the device.

    Args:
        model (Module): runs once
        args (Tensor or tuple): its arguments
        verbose (bool): print the graph
        use_strict_trace (bool): has no effect: containers are recorded in any case
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"add_graph: expected a torch.nn.Module, got {type(model).__name__}")
    args = tuple(args) if isinstance(args, (tuple, list)) else () if args is None else (args,)
    training = [module for module in model.modules() if module.training]
    model.eval()
    try:
        with torch.no_grad(), torch.random.fork_rng():
            try:
                nodes = _nodes_of_operators(model, args)
            except Exception:  # whatever the model does that cannot be recorded; an error of its own comes again below
                nodes = _nodes_of_modules(model, args)
    finally:
        for module in training:
            module.training = True
    if verbose:
        for node in nodes:
            print(f"{node.name}: {node.op}({', '.join(node.input)})")
    device = StepStats(dev_stats=[DeviceStepStats(device="/device:CPU:0")])
    return GraphDef(node=nodes, versions=VersionDef(producer=22)), RunMetadata(step_stats=device)
