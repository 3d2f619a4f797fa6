"""The writer that programs use: one method for each kind of data."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

from google.protobuf import text_format
from tensorboard.compat.proto import event_pb2
from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig

from torch.utils.tensorboard._convert_np import make_np
from torch.utils.tensorboard._embedding import get_embedding_info, make_mat, make_sprite, make_tsv, write_pbtxt
from torch.utils.tensorboard._file_writer import FileWriter
from torch.utils.tensorboard._pytorch_graph import graph
from torch.utils.tensorboard._utils import figure_to_image
from torch.utils.tensorboard.summary import (
    audio,
    custom_scalars,
    histogram,
    histogram_raw,
    hparams,
    image,
    image_boxes,
    mesh,
    pr_curve,
    pr_curve_raw,
    scalar,
    tensor_proto,
    text,
    video,
)

__all__ = ["Event", "FileWriter", "ProjectorConfig", "SessionLog", "SummaryWriter", "event_pb2"]


def _default_bins() -> list[float]:
    """Edges that grow by a tenth each, from 1e-12 to 1e20, on both sides of 0."""
    edges, edge = [], 1e-12
    while edge < 1e20:
        edges.append(edge)
        edge *= 1.1
    return [-edge for edge in reversed(edges)] + [0] + edges


class SummaryWriter:
    """Writes event files for TensorBoard, in a thread of its own.

    Args:
        log_dir (str or Path): the folder; default: a new one under runs/, named after the time and the host
        comment (str): the end of the default folder's name
        purge_step (int): TensorBoard forgets what an earlier run wrote at this step and later ones
        max_queue (int): how many events may wait before a write blocks
        flush_secs (float): seconds between writes to the disk
        filename_suffix (str): the end of the files' names

    The methods take `global_step`, the step of the training that data belongs to, and `walltime`, seconds since 1970, which is
    now by default.

    Example:
        >>> from torch.utils.tensorboard import SummaryWriter  # doctest: +SKIP
        >>> with SummaryWriter() as writer:  # doctest: +SKIP
        ...     for step in range(100):
        ...         writer.add_scalar("loss", 1 / (step + 1), step)
    """

    def __init__(
        self, log_dir: str | os.PathLike[str] | None = None, comment: str = "", purge_step: int | None = None,
        max_queue: int = 10, flush_secs: float = 120, filename_suffix: str = "",
    ) -> None:  # fmt: skip
        if not log_dir:
            import socket

            log_dir = os.path.join("runs", f"{time.strftime('%b%d_%H-%M-%S')}_{socket.gethostname()}{comment}")
        self.log_dir = log_dir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[Any, FileWriter] | None = None
        self._get_file_writer()
        self.default_bins = _default_bins()

    def _new_file_writer(self, folder: str | os.PathLike[str]) -> FileWriter:
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def _get_file_writer(self) -> FileWriter:
        """The writer of the main folder; a new one after `close`."""
        if self.file_writer is None or self.all_writers is None:
            self.file_writer = self._new_file_writer(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                step = self.purge_step
                self.file_writer.add_event(Event(step=step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=step, session_log=SessionLog(status=SessionLog.START)))
                self.purge_step = None
        return self.file_writer

    def get_logdir(self) -> str | os.PathLike[str]:
        """The folder."""
        return self.log_dir

    def add_scalar(
        self, tag: str, scalar_value: Any, global_step: int | None = None, walltime: float | None = None,
        new_style: bool = False, double_precision: bool = False,
    ) -> None:  # fmt: skip
        """Log one number.

        Args:
            tag (str): its name
            scalar_value (float, Tensor or ndarray): the number
            global_step (int): the step
            walltime (float): the time
            new_style (bool): write it as a tensor
            double_precision (bool): as float64; in the new style only
        """
        summary = scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: dict[str, Any], global_step: int | None = None, walltime: float | None = None
    ) -> None:
        """Log several numbers for one chart. Each gets a folder of its own.

        Args:
            main_tag (str): the chart's name
            tag_scalar_dict (dict[str, float]): the numbers by name
            global_step (int): the step
            walltime (float): the time
        """
        walltime = time.time() if walltime is None else walltime
        root = self._get_file_writer().get_logdir()
        assert self.all_writers is not None
        for tag, value in tag_scalar_dict.items():
            folder = f"{root}/{main_tag.replace('/', '_')}_{tag}"
            if folder not in self.all_writers:
                self.all_writers[folder] = self._new_file_writer(folder)
            self.all_writers[folder].add_summary(scalar(main_tag, value), global_step, walltime)

    def add_tensor(self, tag: str, tensor: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Log all values of a tensor.

        Args:
            tag (str): its name
            tensor (Tensor): the values
            global_step (int): the step
            walltime (float): the time
        """
        self._get_file_writer().add_summary(tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(
        self, tag: str, values: Any, global_step: int | None = None, bins: Any = "tensorflow", walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:  # fmt: skip
        """Log how numbers are distributed.

        Args:
            tag (str): its name
            values (Tensor or ndarray): the numbers
            global_step (int): the step
            bins (str, int or sequence): edges, how many, a rule of numpy.histogram, or "tensorflow": edges that grow by a tenth
            walltime (float): the time
            max_bins (int): join neighbors to at most as many
        """
        if isinstance(bins, str) and bins == "tensorflow":
            bins = self.default_bins
        self._get_file_writer().add_summary(histogram(tag, values, bins, max_bins=max_bins), global_step, walltime)

    def add_histogram_raw(
        self, tag: str, min: float, max: float, num: float, sum: float, sum_squares: float, bucket_limits: Any,
        bucket_counts: Any, global_step: int | None = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Log a histogram that was counted elsewhere.

        Args:
            tag (str): its name
            min (float): the smallest number
            max (float): the largest number
            num (int): how many there are
            sum (float): their sum
            sum_squares (float): the sum of their squares
            bucket_limits (sequence): the upper end of each bin
            bucket_counts (sequence): how many numbers each bin has
            global_step (int): the step
            walltime (float): the time
        """
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError(f"add_histogram_raw: {len(bucket_limits)} bucket_limits for {len(bucket_counts)} bucket_counts")
        summary = histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def add_image(
        self, tag: str, img_tensor: Any, global_step: int | None = None, walltime: float | None = None, dataformats: str = "CHW"
    ) -> None:
        """Log an image: numbers from 0 to 1, or bytes.

        Args:
            tag (str): its name
            img_tensor (Tensor or ndarray): the image, with 1, 3 or 4 channels
            global_step (int): the step
            walltime (float): the time
            dataformats (str): what its dimensions are: CHW, HWC or HW
        """
        self._get_file_writer().add_summary(image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self, tag: str, img_tensor: Any, global_step: int | None = None, walltime: float | None = None, dataformats: str = "NCHW"
    ) -> None:
        """Log a batch of images as one grid, eight in a row.

        Args:
            tag (str): its name
            img_tensor (Tensor or ndarray): the images: numbers from 0 to 1, or bytes
            global_step (int): the step
            walltime (float): the time
            dataformats (str): what the dimensions are: NCHW or NHWC
        """
        self._get_file_writer().add_summary(image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(
        self, tag: str, img_tensor: Any, box_tensor: Any, global_step: int | None = None, walltime: float | None = None,
        rescale: float = 1, dataformats: str = "CHW", labels: list[str] | str | None = None,
    ) -> None:  # fmt: skip
        """Log an image with boxes drawn into it.

        Args:
            tag (str): its name
            img_tensor (Tensor or ndarray): the image: numbers from 0 to 1, or bytes
            box_tensor (Tensor or ndarray): rows of x0, y0, x1, y1 in pixels
            global_step (int): the step
            walltime (float): the time
            rescale (float): the factor from the tensor's size to the picture's
            dataformats (str): what its dimensions are: CHW, HWC or HW
            labels (str or list[str]): a word for each box
        """
        labels = [labels] if isinstance(labels, str) else labels
        if labels is not None and len(labels) != len(box_tensor):
            labels = None
        summary = image_boxes(tag, img_tensor, box_tensor, rescale, dataformats, labels)
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def add_figure(
        self, tag: str, figure: Any, global_step: int | None = None, close: bool = True, walltime: float | None = None
    ) -> None:
        """Log a figure of matplotlib, or several side by side.

        Args:
            tag (str): its name
            figure (Figure or list[Figure]): what to draw
            global_step (int): the step
            close (bool): close the figures afterwards
            walltime (float): the time
        """
        formats = "NCHW" if isinstance(figure, list) else "CHW"
        self.add_image(tag, figure_to_image(figure, close), global_step, walltime, dataformats=formats)

    def add_video(
        self, tag: str, vid_tensor: Any, global_step: int | None = None, fps: float = 4, walltime: float | None = None
    ) -> None:
        """Log videos side by side as an animated picture. This needs the package moviepy, and says so where it is missing.

        Args:
            tag (str): its name
            vid_tensor (Tensor or ndarray): (videos, frames, channels, height, width), from 0 to 1, or bytes
            global_step (int): the step
            fps (float): frames in a second
            walltime (float): the time
        """
        self._get_file_writer().add_summary(video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self, tag: str, snd_tensor: Any, global_step: int | None = None, sample_rate: int = 44100, walltime: float | None = None
    ) -> None:
        """Log a sound with one channel.

        Args:
            tag (str): its name
            snd_tensor (Tensor or ndarray): samples from -1 to 1: (L,) or (1, L)
            global_step (int): the step
            sample_rate (int): samples in a second
            walltime (float): the time
        """
        self._get_file_writer().add_summary(audio(tag, snd_tensor, sample_rate=sample_rate), global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None) -> None:
        """Log a text, which TensorBoard shows as Markdown.

        Args:
            tag (str): its name
            text_string (str): the text
            global_step (int): the step
            walltime (float): the time
        """
        self._get_file_writer().add_summary(text(tag, text_string), global_step, walltime)

    def add_onnx_graph(self, prototxt: Any) -> None:
        """Raise an error: graphs of ONNX are not read.

        Args:
            prototxt (str): the file
        """
        raise ModuleNotFoundError(
            "add_onnx_graph: this version reads no graphs of ONNX; use add_graph with the model", name="onnx"
        )

    def add_graph(self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True) -> None:
        """Log a model as a graph: its operators where torch.fx can record them, otherwise its modules.

        Args:
            model (Module): runs once, in eval mode
            input_to_model (Tensor or tuple): its arguments
            verbose (bool): print the graph
            use_strict_trace (bool): has no effect
        """
        self._get_file_writer().add_graph(graph(model, input_to_model, verbose, use_strict_trace))

    @staticmethod
    def _encode(rawstr: str) -> str:
        """A name that is a single part of a path."""
        return rawstr.replace("%", "%25").replace("/", "%2f").replace("\\", "%5c")

    def add_embedding(
        self, mat: Any, metadata: Any = None, label_img: Any = None, global_step: Any = None, tag: str = "default",
        metadata_header: list[str] | None = None,
    ) -> None:  # fmt: skip
        """Log vectors for TensorBoard's projector.

        Args:
            mat (Tensor or ndarray): (N, D)
            metadata (list): a label for each vector, or a row of them
            label_img (Tensor): a picture for each vector: (N, 3, H, W), from 0 to 1
            global_step (int): the step; default: 0
            tag (str): its name
            metadata_header (list[str]): names of the columns where labels are rows
        """
        mat = make_np(mat)
        if mat.ndim != 2:
            raise AssertionError(f"add_embedding: expected a matrix with a vector in each row, got a shape of {mat.shape}")
        for what, given in (("labels", metadata), ("images", label_img)):
            if given is not None and len(given) != len(mat):
                raise AssertionError(f"add_embedding: {len(given)} {what} for {len(mat)} vectors")
        global_step = 0 if global_step is None else global_step
        subdir = f"{str(global_step).zfill(5)}/{self._encode(tag)}"
        root = str(self._get_file_writer().get_logdir())
        folder = os.path.join(root, subdir)
        if os.path.isdir(folder):
            print(f"add_embedding: {folder} is there already and is written over", file=sys.stderr)
        os.makedirs(folder, exist_ok=True)
        if metadata is not None:
            make_tsv(metadata, folder, metadata_header=metadata_header)
        if label_img is not None:
            make_sprite(label_img, folder)
        make_mat(mat.tolist() if mat.dtype.kind != "f" else mat, folder)
        if not hasattr(self, "_projector_config"):
            self._projector_config = ProjectorConfig()
        self._projector_config.embeddings.append(get_embedding_info(metadata, label_img, subdir, global_step, tag))
        write_pbtxt(root, text_format.MessageToString(self._projector_config))

    def add_pr_curve(
        self, tag: str, labels: Any, predictions: Any, global_step: int | None = None, num_thresholds: int = 127,
        weights: Any = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Log the precision-recall curve of a binary classifier.

        Args:
            tag (str): its name
            labels (Tensor or ndarray): 0 or 1 for each sample
            predictions (Tensor or ndarray): the probability of 1
            global_step (int): the step
            num_thresholds (int): points of the curve, at most 127
            weights (Tensor or ndarray): what each sample counts; default: 1
            walltime (float): the time
        """
        weights = weights if weights is None else make_np(weights)
        summary = pr_curve(tag, make_np(labels), make_np(predictions), num_thresholds, weights)
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def add_pr_curve_raw(
        self, tag: str, true_positive_counts: Any, false_positive_counts: Any, true_negative_counts: Any,
        false_negative_counts: Any, precision: Any, recall: Any, global_step: int | None = None, num_thresholds: int = 127,
        weights: Any = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Log a precision-recall curve that was computed elsewhere; each argument has a number for each threshold.

        Args:
            tag (str): its name
            true_positive_counts (sequence): ones that are found
            false_positive_counts (sequence): zeros taken for ones
            true_negative_counts (sequence): zeros that are left out
            false_negative_counts (sequence): ones taken for zeros
            precision (sequence): the part of what is found that is right
            recall (sequence): the part of the ones that is found
            global_step (int): the step
            num_thresholds (int): points of the curve, at most 127
            weights (float): has no effect
            walltime (float): the time
        """
        counts = true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts
        summary = pr_curve_raw(tag, *counts, precision, recall, num_thresholds, weights)
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def add_custom_scalars_multilinechart(self, tags: list[str], category: str = "default", title: str = "untitled") -> None:
        """Show several numbers in one chart.

        Args:
            tags (list[str]): the names of the numbers
            category (str): the group of the chart
            title (str): its title
        """
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags: list[str], category: str = "default", title: str = "untitled") -> None:
        """Show a number between two bounds.

        Args:
            tags (list[str]): the names of the number, of the lower and of the upper bound
            category (str): the group of the chart
            title (str): its title
        """
        if len(tags) != 3:
            raise AssertionError(f"add_custom_scalars_marginchart: expected three tags, got {len(tags)}")
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    def add_custom_scalars(self, layout: dict[str, dict[str, list[Any]]]) -> None:
        """Say which charts TensorBoard shows. Call it once.

        Args:
            layout (dict): by category and title, ["Multiline", tags] or ["Margin", [value, lower, upper]]
        """
        self._get_file_writer().add_summary(custom_scalars(layout))

    def add_mesh(
        self, tag: str, vertices: Any, colors: Any = None, faces: Any = None, config_dict: dict[str, Any] | None = None,
        global_step: int | None = None, walltime: float | None = None,
    ) -> None:  # fmt: skip
        """Log points in space, or the surface that they span.

        Args:
            tag (str): its name
            vertices (Tensor): (batch, points, 3)
            colors (Tensor): (batch, points, 3), from 0 to 255
            faces (Tensor): (batch, faces, 3): the points of each triangle
            config_dict (dict): settings of three.js
            global_step (int): the step
            walltime (float): the time
        """
        self._get_file_writer().add_summary(mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def add_hparams(
        self, hparam_dict: dict[str, Any], metric_dict: dict[str, Any],
        hparam_domain_discrete: dict[str, list[Any]] | None = None, run_name: str | None = None, global_step: int | None = None,
    ) -> None:  # fmt: skip
        """Log the hyperparameters of a run with what it reached, in a folder of its own.

        Args:
            hparam_dict (dict): numbers, booleans, texts or tensors by name
            metric_dict (dict): the metrics by name
            hparam_domain_discrete (dict): the values that a hyperparameter may have
            run_name (str): the folder; default: the time
            global_step (int): the step
        """
        summaries = hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as writer:
            for summary in summaries:
                writer._get_file_writer().add_summary(summary, global_step)
            for name, value in metric_dict.items():
                writer.add_scalar(name, value, global_step)

    def flush(self) -> None:
        """Write what waits to the disk."""
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Write what waits and close the files. A later call opens new ones."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, exc_type: object, exc_val: object, exc_tb: object) -> None:
        self.close()
