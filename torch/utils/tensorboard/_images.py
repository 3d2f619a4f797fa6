"""Summaries of pictures: images, images with boxes, videos."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from typing import Any

import numpy as np
from tensorboard.compat.proto.summary_pb2 import Summary

from torch.utils.tensorboard._convert_np import make_np
from torch.utils.tensorboard._utils import _prepare_video, convert_to_HWC


def _calc_scale_factor(tensor: np.ndarray) -> int:
    """Bytes go from 0 to 255 already, other numbers from 0 to 1."""
    return 1 if tensor.dtype == np.uint8 else 255


def _pixels(tensor: np.ndarray) -> np.ndarray:
    return (tensor.astype(np.float32) * _calc_scale_factor(tensor)).clip(0, 255).astype(np.uint8)


def _draw_single_box(
    image: Any, xmin: float, ymin: float, xmax: float, ymax: float, display_str: str,
    color: str = "black", color_text: str = "black", thickness: int = 2,
) -> Any:  # fmt: skip
    from PIL import ImageDraw, ImageFont

    draw = ImageDraw.Draw(image)
    corners = [(xmin, ymin), (xmin, ymax), (xmax, ymax), (xmax, ymin), (xmin, ymin)]
    draw.line(corners, width=thickness, fill=color)
    if display_str:
        font = ImageFont.load_default()
        left, top, right, bottom = font.getbbox(display_str)
        width, height = right - left, bottom - top
        margin = np.ceil(0.05 * height)
        draw.rectangle([(xmin, ymax - height - 2 * margin), (xmin + width, ymax)], fill=color)
        draw.text((xmin + margin, ymax - height - margin), display_str, fill=color_text, font=font)
    return image


def draw_boxes(disp_image: Any, boxes: np.ndarray, labels: list[str] | None = None) -> Any:
    """Draw red boxes (rows of x0, y0, x1, y1), each with its label, into an image of PIL."""
    for row, (x0, y0, x1, y1) in enumerate(boxes.tolist()):
        disp_image = _draw_single_box(disp_image, x0, y0, x1, y1, labels[row] if labels else "", color="Red")
    return disp_image


def make_image(
    tensor: np.ndarray, rescale: float = 1, rois: np.ndarray | None = None, labels: list[str] | None = None,
) -> Any:  # fmt: skip
    """Pixels (H, W, C) as the image of a summary, `rescale` times as large, with boxes around regions.

    The summary keeps the size from before, as PyTorch's do.
    """
    from PIL import Image

    height, width, channels = tensor.shape
    picture = Image.fromarray(tensor)
    if rois is not None:
        picture = draw_boxes(picture, rois, labels)
    picture = picture.resize((int(width * rescale), int(height * rescale)), Image.Resampling.LANCZOS)
    encoded = io.BytesIO()
    picture.save(encoded, format="PNG")
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=encoded.getvalue())


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Summary:
    """A summary of one image, or of a batch as a grid: numbers from 0 to 1, or bytes."""
    pixels = _pixels(convert_to_HWC(make_np(tensor), dataformats))
    return Summary(value=[Summary.Value(tag=tag, image=make_image(pixels, rescale=rescale))])


def image_boxes(
    tag: str, tensor_image: Any, tensor_boxes: Any, rescale: float = 1, dataformats: str = "CHW",
    labels: list[str] | None = None,
) -> Summary:  # fmt: skip
    """A summary of an image with boxes drawn into it."""
    pixels = _pixels(convert_to_HWC(make_np(tensor_image), dataformats))
    picture = make_image(pixels, rescale=rescale, rois=make_np(tensor_boxes), labels=labels)
    return Summary(value=[Summary.Value(tag=tag, image=picture)])


def video(tag: str, tensor: Any, fps: float = 4) -> Summary:
    """A summary of videos (B, T, C, H, W) as one animated GIF, with `fps` frames a second."""
    frames = _pixels(_prepare_video(make_np(tensor)))
    return Summary(value=[Summary.Value(tag=tag, image=make_video(frames, fps))])


def make_video(tensor: np.ndarray, fps: float) -> Any:
    """Frames (T, H, W, C) as the image of a summary; None, with a message, where moviepy is not installed."""
    try:
        from moviepy import ImageSequenceClip
    except ImportError:
        try:
            from moviepy.editor import ImageSequenceClip
        except ImportError:
            print("add_video needs the package moviepy: run `pip install moviepy`", file=sys.stderr)
            return None
    _, height, width, channels = tensor.shape
    handle, path = tempfile.mkstemp(suffix=".gif")
    os.close(handle)
    try:
        ImageSequenceClip(list(tensor), fps=fps).write_gif(path, logger=None)
        with open(path, "rb") as file:
            encoded = file.read()
    finally:
        os.unlink(path)
    return Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=encoded)
