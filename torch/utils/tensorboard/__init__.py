"""Logs for TensorBoard: numbers, histograms, pictures, sounds, texts, graphs and more, written as event files.

The files are written by the package `tensorboard`, which this library does not require: install it to import this module.
"""

try:
    import tensorboard as _tensorboard  # noqa: F401
except ModuleNotFoundError as error:
    if error.name != "tensorboard":
        raise
    raise ModuleNotFoundError(
        "torch.utils.tensorboard needs the package tensorboard: run `pip install tensorboard`", name="tensorboard"
    ) from None

from tensorboard.summary.writer.record_writer import RecordWriter

from torch.utils.tensorboard._file_writer import FileWriter
from torch.utils.tensorboard.writer import SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter"]
