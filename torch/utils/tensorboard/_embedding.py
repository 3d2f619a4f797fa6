"""The files of TensorBoard's projector: vectors and labels as tables, pictures as one sprite, and a list of them all."""

from __future__ import annotations

import math
import os
from typing import Any

import numpy as np
from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo

from torch.utils.tensorboard._convert_np import make_np
from torch.utils.tensorboard._utils import make_grid


def make_tsv(metadata: Any, save_path: str, metadata_header: list[str] | None = None) -> None:
    """Write one label a line, or one row of labels under a header."""
    if metadata_header:
        if len(metadata_header) != len(metadata[0]):
            raise AssertionError(f"make_tsv: the header has {len(metadata_header)} names for {len(metadata[0])} columns")
        lines = ["\t".join(map(str, row)) for row in [metadata_header, *metadata]]
    else:
        lines = [str(label) for label in metadata]
    with open(os.path.join(save_path, "metadata.tsv"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def make_sprite(label_img: Any, save_path: str) -> None:
    """Write pictures (N, C, H, W) as one square image, row after row."""
    from PIL import Image

    images = make_np(label_img)
    sheet = make_grid(images, ncols=math.ceil(len(images) ** 0.5)).transpose(1, 2, 0)
    height, width, channels = sheet.shape
    square = np.zeros((max(height, width), width, channels), dtype=sheet.dtype)
    square[:height] = sheet
    Image.fromarray((square * 255).clip(0, 255).astype(np.uint8)).save(os.path.join(save_path, "sprite.png"))


def make_mat(matlist: Any, save_path: str) -> None:
    """Write one vector a line."""
    with open(os.path.join(save_path, "tensors.tsv"), "w", encoding="utf-8") as file:
        file.writelines("\t".join(map(str, row)) + "\n" for row in matlist)


def get_embedding_info(metadata: Any, label_img: Any, subdir: str, global_step: Any, tag: str) -> EmbeddingInfo:
    """Where the files of one embedding are."""
    info = EmbeddingInfo(tensor_name=f"{tag}:{str(global_step).zfill(5)}", tensor_path=f"{subdir}/tensors.tsv")
    if metadata is not None:
        info.metadata_path = f"{subdir}/metadata.tsv"
    if label_img is not None:
        info.sprite.image_path = f"{subdir}/sprite.png"
        info.sprite.single_image_dim.extend([label_img.shape[3], label_img.shape[2]])
    return info


def write_pbtxt(save_path: str, contents: str) -> None:
    """Write the list of embeddings."""
    with open(os.path.join(save_path, "projector_config.pbtxt"), "w", encoding="utf-8") as file:
        file.write(contents)
