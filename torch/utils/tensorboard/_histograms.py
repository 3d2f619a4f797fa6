"""Summaries of many numbers at once: histograms and precision-recall curves."""

from __future__ import annotations

from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData

from torch.utils.tensorboard._convert_np import make_np

_MIN_DENOMINATOR = 1e-7
_MAX_THRESHOLDS = 127


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Summary:
    """A summary of how numbers are distributed over bins: edges, their number, or a rule of numpy.histogram."""
    return Summary(value=[Summary.Value(tag=name, histo=make_histogram(make_np(values).astype(float), bins, max_bins))])


def histogram_raw(
    name: str, min: float, max: float, num: float, sum: float, sum_squares: float, bucket_limits: Any, bucket_counts: Any
) -> Summary:
    """A summary of a histogram that was counted elsewhere: the upper end of each bin, and how many numbers it has."""
    histo = HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts,
    )  # fmt: skip
    return Summary(value=[Summary.Value(tag=name, histo=histo)])


def make_histogram(values: np.ndarray, bins: Any, max_bins: int | None = None) -> HistogramProto:
    """Count numbers over bins; neighbors are joined to at most `max_bins`, and empty bins at both ends are left out."""
    if values.size == 0:
        raise ValueError("histogram: the input has no elements")
    values = values.reshape(-1)
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        joined = len(counts) // max_bins
        starts = np.arange(0, len(counts), joined)
        counts = np.add.reduceat(counts, starts)
        limits = np.append(limits[starts], limits[-1])
    filled = np.flatnonzero(counts)
    if not filled.size:
        raise ValueError("histogram: no number lies in any bin")
    # A limit is the upper end of its bin, so an empty bin in front says where the first one begins.
    first, last = filled[0], filled[-1] + 1
    counts = np.concatenate([counts[first - 1 : last] if first else [0, *counts[:last]]])
    return HistogramProto(
        min=values.min(), max=values.max(), num=len(values), sum=values.sum(), sum_squares=values.dot(values),
        bucket_limit=limits[first : last + 1].tolist(), bucket=counts.tolist(),
    )  # fmt: skip


def _pr_curve_summary(tag: str, rows: np.ndarray, num_thresholds: int) -> Summary:
    content = PrCurvePluginData(version=0, num_thresholds=num_thresholds).SerializeToString()
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="pr_curves", content=content))
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in rows.shape])
    tensor = TensorProto(dtype="DT_FLOAT", float_val=rows.reshape(-1).tolist(), tensor_shape=shape)
    return Summary(value=[Summary.Value(tag=tag, metadata=metadata, tensor=tensor)])


def pr_curve_raw(
    tag: str, tp: Any, fp: Any, tn: Any, fn: Any, precision: Any, recall: Any, num_thresholds: int = 127, weights: Any = None
) -> Summary:
    """A summary of a precision-recall curve that was computed elsewhere: six numbers for each threshold."""
    return _pr_curve_summary(tag, np.stack((tp, fp, tn, fn, precision, recall)), min(num_thresholds, _MAX_THRESHOLDS))


def pr_curve(tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None) -> Summary:
    """A summary of the precision-recall curve of probabilities against binary labels."""
    num_thresholds = min(num_thresholds, _MAX_THRESHOLDS)
    return _pr_curve_summary(tag, compute_curve(labels, predictions, num_thresholds, weights), num_thresholds)


def compute_curve(labels: Any, predictions: Any, num_thresholds: int | None = None, weights: Any = None) -> np.ndarray:
    """Rows: true and false positives, true and false negatives, precision, recall; one column for each threshold."""
    count = _MAX_THRESHOLDS if num_thresholds is None else num_thresholds
    weights = 1.0 if weights is None else weights
    positive = labels.astype(np.float64)
    buckets = np.floor(predictions * (count - 1)).astype(np.int32)

    def at_least(weight: np.ndarray) -> np.ndarray:
        """The weight of all predictions at or above each threshold."""
        found, _ = np.histogram(buckets, bins=count, range=(0, count - 1), weights=weight)
        return found[::-1].cumsum()[::-1]

    tp, fp = at_least(positive * weights), at_least((1.0 - positive) * weights)
    tn, fn = fp[0] - fp, tp[0] - tp
    precision, recall = tp / np.maximum(_MIN_DENOMINATOR, tp + fp), tp / np.maximum(_MIN_DENOMINATOR, tp + fn)
    return np.stack((tp, fp, tn, fn, precision, recall))
