"""Copies the attributes of called modules into the metadata of nodes, for passes that lower them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import nn
from torch.fx.graph_module import GraphModule

__all__ = ["default_matching", "extract_attrs_for_lowering", "lift_lowering_attrs_to_nodes"]


def default_matching(name: str, target_version: int) -> str:
    """The name of an attribute in another version of a module: the same."""
    return name


# {class: (version, attributes, the name in another version)}
module_fetch_book: dict[type, tuple[int, list[str], Callable[[str, int], str]]] = {
    nn.Linear: (1, ["weight", "bias"], default_matching),
    nn.Conv2d: (
        1, ["weight", "bias", "kernel_size", "stride", "padding", "dilation", "groups", "padding_mode"], default_matching,
    ),
    nn.BatchNorm2d: (2, ["weight", "bias", "running_mean", "running_var", "eps"], default_matching),
    nn.AdaptiveAvgPool2d: (1, [], default_matching),
    nn.MaxPool2d: (1, ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"], default_matching),
    nn.ReLU: (1, ["inplace"], default_matching),
}  # fmt: skip


def extract_attrs_for_lowering(mod: nn.Module) -> dict[str, Any]:
    """The attributes of a module that determine what it computes.

    Args:
        mod (Module): of a class in `module_fetch_book`

    Returns:
        the attributes, and the name of the class

    Raises:
        RuntimeError: the class is not in the book
    """
    from torch.fx.node import _type_repr

    kind = type(mod)
    if kind not in module_fetch_book:
        raise RuntimeError(f"extract_attrs_for_lowering: {_type_repr(kind)} is not in module_fetch_book")
    version, attributes, _ = module_fetch_book[kind]
    if getattr(mod, "_version", version) not in (None, version):
        raise RuntimeError(f"extract_attrs_for_lowering: {kind.__name__} has version {mod._version}, the book has {version}")
    return {"name": _type_repr(kind), **{name: getattr(mod, name) for name in attributes}}


def lift_lowering_attrs_to_nodes(fx_module: GraphModule) -> None:
    """Set `attrs_for_lowering` of the nodes that call modules, in graphs inside as well.

    Args:
        fx_module (GraphModule): whose graph it is
    """
    modules = dict(fx_module.named_modules())
    for node in fx_module.graph.nodes:
        if node.op == "call_module":
            module = modules[str(node.target)]
            if isinstance(module, GraphModule):
                lift_lowering_attrs_to_nodes(module)
            else:
                node.attrs_for_lowering = extract_attrs_for_lowering(module)
