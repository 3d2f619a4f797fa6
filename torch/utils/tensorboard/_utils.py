"""Pictures as arrays in the order height, width, channels: figures, grids of images, videos."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["convert_to_HWC", "figure_to_image", "make_grid"]


def figure_to_image(figures: Any, close: bool = True) -> np.ndarray:
    """Draw figures of matplotlib as arrays of uint8 in the order channels, height, width; several get a first dimension.

    Args:
        figures (Figure or list[Figure]): of equal size if there are several
        close (bool): close them afterwards

    Example:
        >>> from torch.utils.tensorboard._utils import figure_to_image
        >>> image = figure_to_image(figure)  # doctest: +SKIP
    """
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def draw(figure: Any) -> np.ndarray:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[..., :3].transpose(2, 0, 1)
        if close:
            pyplot.close(figure)
        return pixels

    return np.stack([draw(figure) for figure in figures]) if isinstance(figures, list) else draw(figures)


def make_grid(I: np.ndarray, ncols: int = 8) -> np.ndarray:  # noqa: E741
    """Put a batch of images side by side, in rows of `ncols`; black where the last row ends early.

    Args:
        I (ndarray): (N, 3, H, W)
        ncols (int): images in a row; not more than there are

    Returns:
        ndarray: (3, rows * H, columns * W)

    Example:
        >>> import numpy
        >>> from torch.utils.tensorboard._utils import make_grid
        >>> make_grid(numpy.ones((10, 3, 4, 5))).shape
        (3, 8, 40)
    """
    if not isinstance(I, np.ndarray) or I.ndim != 4 or I.shape[1] != 3:
        raise AssertionError(f"make_grid: expected an array (N, 3, H, W), got {getattr(I, 'shape', type(I).__name__)}")
    count, channels, height, width = I.shape
    ncols = min(count, ncols)
    nrows = -(-count // ncols)
    cells = np.zeros((nrows * ncols, channels, height, width), dtype=I.dtype)
    cells[:count] = I
    cells = cells.reshape(nrows, ncols, channels, height, width)
    return cells.transpose(2, 0, 3, 1, 4).reshape(channels, nrows * height, ncols * width)


def convert_to_HWC(tensor: np.ndarray, input_format: str) -> np.ndarray:
    """Bring images into the order height, width, channels; a batch becomes a grid, and gray becomes three channels.

    Args:
        tensor (ndarray): 2 to 4 dimensions
        input_format (str): a letter of NCHW for each dimension, such as "CHW"

    Example:
        >>> import numpy
        >>> from torch.utils.tensorboard._utils import convert_to_HWC
        >>> convert_to_HWC(numpy.ones((3, 4, 5)), "CHW").shape
        (4, 5, 3)
    """
    order = input_format.upper()
    if len(set(order)) != len(order):
        raise AssertionError(f"convert_to_HWC: the format {input_format!r} has a letter twice")
    if len(order) != tensor.ndim:
        raise AssertionError(f"convert_to_HWC: the format {input_format!r} does not fit a tensor of shape {tensor.shape}")
    expected = {2: "HW", 3: "HWC", 4: "NCHW"}.get(len(order), "")
    if set(order) != set(expected):
        raise AssertionError(f"convert_to_HWC: expected the letters of HW, CHW or NCHW, got {input_format!r}")
    tensor = tensor.transpose([order.index(letter) for letter in expected])
    if len(order) == 2:
        return np.stack([tensor] * 3, 2)
    channel = 1 if len(order) == 4 else 2
    if tensor.shape[channel] == 1:
        tensor = np.concatenate([tensor] * 3, channel)
    return make_grid(tensor).transpose(1, 2, 0) if len(order) == 4 else tensor


def _prepare_video(V: np.ndarray) -> np.ndarray:
    """Frames (T, H, W, C) of videos (B, T, C, H, W) side by side: in rows and columns, both powers of two."""
    exponent = (len(V) - 1).bit_length()
    padded = np.zeros((2**exponent, *V.shape[1:]), dtype=V.dtype)
    padded[: len(V)] = V
    rows = 2 ** ((len(V).bit_length() - 1) // 2)
    columns = len(padded) // rows
    _, frames, channels, height, width = V.shape
    grid = padded.reshape(rows, columns, frames, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    return grid.reshape(frames, rows * height, columns * width, channels)
