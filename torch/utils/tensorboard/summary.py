"""What an event file holds: summaries of numbers, texts, sounds and tensors. Other kinds are in the modules beside this one."""

from __future__ import annotations

import io
import struct
import sys
import wave
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

import torch
from torch.utils.tensorboard._convert_np import make_np
from torch.utils.tensorboard._histograms import (
    compute_curve,
    histogram,
    histogram_raw,
    make_histogram,
    pr_curve,
    pr_curve_raw,
)
from torch.utils.tensorboard._images import draw_boxes, image, image_boxes, make_image, make_video, video
from torch.utils.tensorboard._plugins import custom_scalars, hparams, mesh

__all__ = [
    "audio", "compute_curve", "custom_scalars", "draw_boxes", "half_to_int", "histogram", "histogram_raw", "hparams", "image",
    "image_boxes", "int_to_half", "make_histogram", "make_image", "make_video", "mesh", "pr_curve", "pr_curve_raw", "scalar",
    "tensor_proto", "text", "video",
]  # fmt: skip


def half_to_int(f: float) -> int:
    """The bits of a number as float32, as an int."""
    return struct.unpack("<i", struct.pack("<f", f))[0]


def int_to_half(i: int) -> float:
    """The number whose bits as float32 are an int."""
    return struct.unpack("<f", struct.pack("<i", i))[0]


# Name in the protocol, the field with the values, and how a flat tensor becomes them. 16-bit floats are their bits, and
# uint8 is among the ints: that is what tensorboard reads.
_TENSOR_TYPES = {
    torch.float16: ("DT_HALF", "half_val", lambda t: t.view(torch.uint16).tolist()),
    torch.bfloat16: ("DT_BFLOAT16", "half_val", lambda t: t.view(torch.uint16).tolist()),
    torch.float32: ("DT_FLOAT", "float_val", torch.Tensor.tolist),
    torch.float64: ("DT_DOUBLE", "double_val", torch.Tensor.tolist),
    torch.int8: ("DT_INT8", "int_val", torch.Tensor.tolist),
    torch.uint8: ("DT_UINT8", "int_val", torch.Tensor.tolist),
    torch.int16: ("DT_INT16", "int_val", torch.Tensor.tolist),
    torch.int32: ("DT_INT32", "int_val", torch.Tensor.tolist),
    torch.int64: ("DT_INT64", "int64_val", torch.Tensor.tolist),
    torch.bool: ("DT_BOOL", "bool_val", torch.Tensor.tolist),
    torch.complex64: ("DT_COMPLEX64", "scomplex_val", lambda t: torch.view_as_real(t).reshape(-1).tolist()),
    torch.complex128: ("DT_COMPLEX128", "dcomplex_val", lambda t: torch.view_as_real(t).reshape(-1).tolist()),
}


def tensor_proto(tag: str, tensor: torch.Tensor) -> Summary:
    """A summary with all values of a tensor.

    Raises:
        ValueError: the protocol has no such dtype
    """
    if tensor.numel() * tensor.itemsize >= 1 << 31:
        raise ValueError(f"tensor_proto: the tensor {tag!r} has 2 GiB or more, which no event can hold")
    if tensor.dtype not in _TENSOR_TYPES:
        raise ValueError(f"tensor_proto: the tensor {tag!r} has dtype {tensor.dtype}, which event files do not have")
    name, field, values = _TENSOR_TYPES[tensor.dtype]
    flat = tensor.detach().resolve_conj().resolve_neg().cpu().contiguous().reshape(-1)
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in tensor.shape])
    proto = TensorProto(dtype=name, tensor_shape=shape, **{field: values(flat)})
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="tensor"))
    return Summary(value=[Summary.Value(tag=tag, metadata=metadata, tensor=proto)])


def scalar(name: str, tensor: Any, collections: Any = None, new_style: bool = False, double_precision: bool = False) -> Summary:
    """A summary of one number: as a plain value, or in the new style as a tensor, which can be float64."""
    array = make_np(tensor).squeeze()
    if array.ndim != 0:
        raise AssertionError(f"scalar: {name!r} should be one number, got an array of shape {array.shape}")
    number = float(array)
    if not new_style:
        return Summary(value=[Summary.Value(tag=name, simple_value=number)])
    proto = TensorProto(double_val=[number], dtype="DT_DOUBLE") if double_precision else TensorProto(
        float_val=[number], dtype="DT_FLOAT")  # fmt: skip
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="scalars"))
    return Summary(value=[Summary.Value(tag=name, tensor=proto, metadata=metadata)])


def text(tag: str, text: str) -> Summary:
    """A summary of a text, which TensorBoard shows as Markdown."""
    content = TextPluginData(version=0).SerializeToString()
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="text", content=content))
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)])
    proto = TensorProto(dtype="DT_STRING", string_val=[text.encode()], tensor_shape=shape)
    return Summary(value=[Summary.Value(tag=tag + "/text_summary", metadata=metadata, tensor=proto)])


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Summary:
    """A summary of a sound with one channel: numbers from -1 to 1, written as 16 bits; louder ones are clipped."""
    samples = make_np(tensor).squeeze()
    if samples.ndim != 1:
        raise AssertionError(f"audio: {tag!r} should have one channel of samples, got an array of shape {samples.shape}")
    if samples.size and np.abs(samples).max() > 1:
        print(f"audio: samples of {tag!r} lie outside -1 to 1 and are clipped", file=sys.stderr)
        samples = samples.clip(-1, 1)
    encoded = io.BytesIO()
    with wave.open(encoded, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(sample_rate)
        file.writeframes((samples * np.iinfo(np.int16).max).astype("<i2").tobytes())
    sound = Summary.Audio(
        sample_rate=sample_rate, num_channels=1, length_frames=len(samples), encoded_audio_string=encoded.getvalue(),
        content_type="audio/wav",
    )  # fmt: skip
    return Summary(value=[Summary.Value(tag=tag, audio=sound)])
