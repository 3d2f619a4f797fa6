"""Nodes of a graph in TensorBoard's protocol."""

from __future__ import annotations

from collections.abc import Sequence

from tensorboard.compat.proto.attr_value_pb2 import AttrValue
from tensorboard.compat.proto.node_def_pb2 import NodeDef
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto

import torch


def tensor_shape_proto(outputsize: Sequence[int]) -> TensorShapeProto:
    """A shape."""
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in outputsize])


def attr_value_proto(dtype: object, shape: Sequence[int] | None, s: str | None) -> dict[str, AttrValue]:
    """The attributes of a node: a text, and the shape of its output."""
    attributes = {}
    if s is not None:
        attributes["attr"] = AttrValue(s=s.encode("utf-8"))
    if shape is not None:
        attributes["_output_shapes"] = AttrValue(list=AttrValue.ListValue(shape=[tensor_shape_proto(shape)]))
    return attributes


def node_proto(
    name: str, op: str = "UnSpecified", input: list[str] | str | None = None, dtype: torch.dtype | None = None,
    shape: tuple[int, ...] | None = None, outputsize: Sequence[int] | None = None, attributes: str = "",
) -> NodeDef:  # fmt: skip
    """A node: its name, whose parts between slashes are scopes, its operator, the names of its inputs, what it returns."""
    inputs = [] if input is None else [input] if isinstance(input, str) else list(input)
    return NodeDef(name=name, op=op, input=inputs, attr=attr_value_proto(dtype, outputsize, attributes))
