"""Values from the bytes of files, by the end of their names."""

from __future__ import annotations

import io
import json
import os
import pickle
import tempfile
from collections.abc import Callable
from typing import Any

import torch
from torch.utils.data.datapipes.utils.common import StreamWrapper

__all__ = [
    "Decoder", "ImageHandler", "MatHandler", "audiohandler", "basichandlers", "extension_extract_fn", "handle_extension",
    "imagehandler", "mathandler", "videohandler",
]  # fmt: skip


def basichandlers(extension: str, data: Any) -> Any:
    """Texts, numbers, JSON, pickles and tensors; None for other files."""
    if extension in ("txt", "text", "transcript"):
        return data.decode("utf-8")
    if extension in ("cls", "cls2", "class", "count", "index", "inx", "id"):
        try:
            return int(data)
        except ValueError:
            return None
    if extension in ("json", "jsn"):
        return json.loads(data)
    if extension in ("pyd", "pickle"):
        return pickle.loads(data)
    if extension in ("pt",):
        return torch.load(io.BytesIO(data))
    return None


def handle_extension(extensions: str, f: Callable[[Any], Any]) -> Callable[[str, Any], Any]:
    """A handler that applies a function to files whose names end with one of the words."""
    endings = [ending.lower().split(".") for ending in extensions.lower().split()]

    def handler(extension: str, data: Any) -> Any:
        parts = extension.lower().split(".")
        return f(data) if any(parts[-len(ending) :] == ending for ending in endings) else None

    return handler


# What the pixels become: the library, the mode of PIL, and the type.
_IMAGES = {
    name: (library, mode, kind)
    for name, library, mode, kind in (
        ("l8", "numpy", "l", "uint8"), ("rgb8", "numpy", "rgb", "uint8"), ("rgba8", "numpy", "rgba", "uint8"),
        ("l", "numpy", "l", "float"), ("rgb", "numpy", "rgb", "float"), ("rgba", "numpy", "rgba", "float"),
        ("torchl8", "torch", "l", "uint8"), ("torchrgb8", "torch", "rgb", "uint8"), ("torchrgba8", "torch", "rgba", "uint8"),
        ("torchl", "torch", "l", "float"), ("torchrgb", "torch", "rgb", "float"), ("torch", "torch", "rgb", "float"),
        ("torchrgba", "torch", "rgba", "float"), ("pill", "pil", "l", ""), ("pil", "pil", "rgb", ""),
        ("pilrgb", "pil", "rgb", ""), ("pilrgba", "pil", "rgba", ""),
    )
}  # fmt: skip


class ImageHandler:
    """Decodes images to arrays, tensors or images of PIL.

    Args:
        imagespec (str): such as "rgb" (an array of floats from 0 to 1), "torchrgb8" (a tensor of bytes) or "pil"
    """

    def __init__(self, imagespec: str) -> None:
        if imagespec not in _IMAGES:
            raise AssertionError(f"ImageHandler: unknown specification {imagespec!r}; expected one of {sorted(_IMAGES)}")
        self.imagespec = imagespec.lower()

    def __call__(self, extension: str, data: Any) -> Any:
        if extension.lower() not in ("jpg", "jpeg", "png", "ppm", "pgm", "pbm", "pnm"):
            return None
        import numpy as np
        from PIL import Image

        library, mode, kind = _IMAGES[self.imagespec]
        image = Image.open(io.BytesIO(data))
        image.load()
        image = image.convert(mode.upper())
        if library == "pil":
            return image
        pixels = np.asarray(image)
        if library == "numpy":
            return pixels if kind == "uint8" else pixels.astype("f") / 255.0
        pixels = pixels[:, :, None] if pixels.ndim == 2 else pixels
        tensor = torch.from_numpy(pixels.transpose(2, 0, 1).copy())
        return tensor if kind == "uint8" else tensor.float() / 255.0


def imagehandler(imagespec: str) -> ImageHandler:
    """The handler of images for a specification."""
    return ImageHandler(imagespec)


def _from_file(extension: str, data: Any, read: Callable[[str], Any]) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, f"file.{extension}")
        with open(path, "wb") as file:
            file.write(data)
        return read(path)


def videohandler(extension: str, data: Any) -> Any:
    """Videos, by torchvision."""
    if extension not in ("mp4", "ogv", "mjpeg", "avi", "mov", "h264", "mpg", "webm", "wmv"):
        return None
    try:
        import torchvision.io
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("videohandler needs the package torchvision") from error
    return _from_file(extension, data, torchvision.io.read_video)


def audiohandler(extension: str, data: Any) -> Any:
    """Sounds, by torchaudio."""
    if extension not in ("flac", "mp3", "sox", "wav", "m4a", "ogg", "wma"):
        return None
    try:
        import torchaudio
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("audiohandler needs the package torchaudio") from error
    return _from_file(extension, data, torchaudio.load)


class MatHandler:
    """Decodes files of MATLAB, by SciPy."""

    def __init__(self, **loadmat_kwargs: Any) -> None:
        try:
            import scipy.io
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError("MatHandler needs the package scipy") from error
        self.sio, self.loadmat_kwargs = scipy.io, loadmat_kwargs

    def __call__(self, extension: str, data: Any) -> Any:
        return self.sio.loadmat(io.BytesIO(data), **self.loadmat_kwargs) if extension == "mat" else None


def mathandler(**loadmat_kwargs: Any) -> MatHandler:
    """The handler of files of MATLAB."""
    return MatHandler(**loadmat_kwargs)


def extension_extract_fn(pathname: str) -> str:
    """The end of a name after its last dot."""
    return os.path.splitext(pathname)[1].removeprefix(".")


class Decoder:
    """Gives the bytes of a file to each handler until one returns a value; without one, the bytes stay.

    Args:
        *handler (function): gets the key and the bytes
        key_fn (function): makes the key of a path
    """

    def __init__(self, *handler: Callable[[str, Any], Any], key_fn: Callable[[str], str] = extension_extract_fn) -> None:
        self.handlers, self.key_fn = list(handler), key_fn

    def add_handler(self, *handler: Callable[[str, Any], Any]) -> None:
        """Add handlers that come last."""
        self.handlers.extend(handler)

    @staticmethod
    def _is_stream_handle(data: Any) -> bool:
        return isinstance(data.file_obj if isinstance(data, StreamWrapper) else data, (io.BufferedIOBase, io.RawIOBase))

    def decode1(self, key: str, data: Any) -> Any:
        """One value."""
        if not data:
            return data
        if self._is_stream_handle(data):
            stream, data = data, data.read()
            if isinstance(stream, StreamWrapper):
                stream.close()
        for handler in self.handlers:
            result = handler(key, data)
            if result is not None:
                return result
        return data

    def decode(self, data: Any) -> dict[str, Any]:
        """The values of a dictionary or of a pair by path; those whose name begins with _ are texts."""
        pairs = data.items() if isinstance(data, dict) else [data]
        result: dict[str, Any] = {}
        for path, value in pairs:
            if path.startswith("_"):
                result[path] = value.decode("utf-8") if isinstance(value, bytes) else value
            else:
                result[path] = self.decode1(self.key_fn(path), value)
        return result

    def __call__(self, data: Any) -> dict[str, Any]:
        return self.decode(data)
