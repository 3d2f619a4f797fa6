"""Values of files, by the end of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch.utils.data.datapipes._decorator import functional_datapipe
from torch.utils.data.datapipes.datapipe import IterDataPipe
from torch.utils.data.datapipes.iter.callable import _length
from torch.utils.data.datapipes.utils.common import validate_pathname_binary_tuple
from torch.utils.data.datapipes.utils.decoder import Decoder, basichandlers, extension_extract_fn, imagehandler

__all__ = ["RoutedDecoderIterDataPipe"]


@functional_datapipe("routed_decode")
class RoutedDecoderIterDataPipe(IterDataPipe[Any]):
    """Pairs of a path and what its bytes stand for.

    Args:
        datapipe (Iterable): pairs of a path and a stream of bytes
        *handlers (function): get a key and bytes, and return a value or None; default: texts, numbers, JSON and images
        key_fn (function): makes the key of a path; default: the end of the name

    Example:
        >>> import io
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([("a.json", io.BytesIO(b"[1, 2]"))]).routed_decode())
        [('a.json', [1, 2])]
    """

    def __init__(
        self, datapipe: Iterable[Any], *handlers: Callable[..., Any], key_fn: Callable[[str], str] = extension_extract_fn
    ) -> None:
        super().__init__()
        self.datapipe = datapipe
        self.decoder = Decoder(*(handlers or (basichandlers, imagehandler("torch"))), key_fn=key_fn)

    def add_handler(self, *handler: Callable[..., Any]) -> None:
        """Add handlers that come last."""
        self.decoder.add_handler(*handler)

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            validate_pathname_binary_tuple(data)
            path = data[0]
            yield path, self.decoder(data)[path]

    def __len__(self) -> int:
        return _length(self, self.datapipe)
