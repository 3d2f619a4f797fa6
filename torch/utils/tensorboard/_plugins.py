"""Summaries for plugins of TensorBoard: hyperparameters, layouts of custom charts, meshes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2

import torch
from torch.utils.tensorboard._convert_np import make_np


def _plugin_value(tag: str, plugin: str, content: bytes) -> Summary:
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin, content=content))
    return Summary(value=[Summary.Value(tag=tag, metadata=metadata)])


def _check_domain(name: str, hparam_dict: dict[str, Any], domain: list[Any]) -> None:
    if name not in hparam_dict or not all(isinstance(value, type(hparam_dict[name])) for value in domain):
        raise TypeError(
            f"hparams: hparam_domain_discrete[{name!r}] should list values of the type of hparam_dict[{name!r}], got {domain}"
        )


def hparams(
    hparam_dict: dict[str, Any] | None = None, metric_dict: dict[str, Any] | None = None,
    hparam_domain_discrete: dict[str, list[Any]] | None = None,
) -> tuple[Summary, Summary, Summary]:  # fmt: skip
    """Three summaries of a run: the experiment with its hyperparameters and metrics, its start with the values, its end."""
    from google.protobuf import struct_pb2
    from tensorboard.plugins.hparams import api_pb2, metadata
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo

    for argument, value in (("hparam_dict", hparam_dict), ("metric_dict", metric_dict)):
        if not isinstance(value, dict):
            raise TypeError(f"hparams: expected a dictionary for {argument}, got {type(value).__name__}")
    domains = hparam_domain_discrete or {}
    if not isinstance(domains, dict):
        raise TypeError(f"hparams: expected a dictionary for hparam_domain_discrete, got {type(domains).__name__}")
    for name, values in domains.items():
        _check_domain(name, hparam_dict or {}, values)

    start, infos = SessionStartInfo(), []
    for name, value in (hparam_dict or {}).items():
        if value is None:
            continue
        if isinstance(value, torch.Tensor):
            value = value.detach().reshape(-1)[0].item()
        if isinstance(value, str):
            start.hparams[name].string_value = value
            kind, entry = "DATA_TYPE_STRING", "string_value"
        elif isinstance(value, (int, float, np.number)):  # bool is an int: TensorBoard shows it as 0 or 1
            start.hparams[name].number_value = float(value)
            kind, entry = "DATA_TYPE_FLOAT64", "number_value"
        else:
            raise ValueError(f"hparams: {name!r} should be an int, float, str, bool or torch.Tensor, got {type(value).__name__}")
        info = api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(kind))
        if name in domains:
            listed = [struct_pb2.Value(**{entry: choice}) for choice in domains[name]]
            info.domain_discrete.CopyFrom(struct_pb2.ListValue(values=listed))
        infos.append(info)

    metrics = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metric_dict or {}]
    experiment = api_pb2.Experiment(hparam_infos=infos, metric_infos=metrics)
    end = SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    version = metadata.PLUGIN_DATA_VERSION

    def summary(tag: str, **content: Any) -> Summary:
        data = HParamsPluginData(version=version, **content)
        return _plugin_value(tag, metadata.PLUGIN_NAME, data.SerializeToString())

    return (
        summary(metadata.EXPERIMENT_TAG, experiment=experiment),
        summary(metadata.SESSION_START_INFO_TAG, session_start_info=start),
        summary(metadata.SESSION_END_INFO_TAG, session_end_info=end),
    )


def _chart(title: str, kind: str, tags: list[str]) -> Any:
    if kind != "Margin":
        return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
    if len(tags) != 3:
        raise AssertionError(f"custom_scalars: a Margin chart has a value, a lower and an upper bound, got {len(tags)} tags")
    series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
    return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))


def custom_scalars(layout: dict[str, dict[str, list[Any]]]) -> Summary:
    """A summary of charts by category and title: ["Multiline", tags] or ["Margin", [value, lower, upper]]."""
    categories = [
        layout_pb2.Category(title=name, chart=[_chart(title, kind, tags) for title, (kind, tags) in charts.items()])
        for name, charts in layout.items()
    ]
    content = layout_pb2.Layout(category=categories).SerializeToString()
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="custom_scalars"))
    tensor = TensorProto(dtype="DT_STRING", string_val=[content], tensor_shape=TensorShapeProto())
    return Summary(value=[Summary.Value(tag="custom_scalars__config__", tensor=tensor, metadata=metadata)])


def _get_json_config(config_dict: dict[str, Any] | None) -> str:
    return "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)


def mesh(
    tag: str, vertices: Any, colors: Any, faces: Any, config_dict: dict[str, Any] | None, display_name: str | None = None,
    description: str | None = None,
) -> Summary:  # fmt: skip
    """A summary of a mesh: points (N, P, 3), and optionally their colors and the faces between them."""
    from tensorboard.plugins.mesh import metadata
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    kinds = MeshPluginData.VERTEX, MeshPluginData.FACE, MeshPluginData.COLOR
    parts = [(part, kind) for part, kind in zip((vertices, faces, colors), kinds) if part is not None]
    components = metadata.get_components_bitmask([kind for _, kind in parts])
    values = []
    for part, kind in parts:
        array = make_np(part)
        shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in array.shape])
        about = metadata.create_summary_metadata(
            tag, display_name, kind, components, array.shape, description, json_config=_get_json_config(config_dict),
        )  # fmt: skip
        values.append(Summary.Value(
            tag=metadata.get_instance_name(tag, kind), metadata=about,
            tensor=TensorProto(dtype="DT_FLOAT", float_val=array.reshape(-1).tolist(), tensor_shape=shape),
        ))  # fmt: skip
    return Summary(value=values)
