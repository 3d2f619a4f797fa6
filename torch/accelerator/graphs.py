"""Graphs of an accelerator's work, which are recorded once and started as a whole."""

from __future__ import annotations

from torch.accelerator import _kind

__all__ = ["Graph"]


class Graph:
    """A recording of an accelerator's work, which is started as a whole. `with` a stream, and the graph: records a block.

    Args:
        keep_graph (bool, default False): keep what was recorded, to look at it
        pool (tuple, optional): where its memory comes from
        capture_error_mode (str, default "default"): which calls are errors while it is recorded

    Raises:
        RuntimeError: there is no accelerator, or it has no graphs

    Example:
        >>> torch.accelerator.Graph()
        Traceback (most recent call last):
        RuntimeError: there is no accelerator
    """

    __module__ = "torch.accelerator"

    def __init__(
        self, keep_graph: bool = False, *, pool: tuple[int, int] | None = None, capture_error_mode: str = "default"
    ) -> None:  # fmt: skip
        if _kind() != "cuda":
            raise RuntimeError(f"torch.accelerator.Graph(): {_kind()} has no graphs")
        modes = ("default", "global", "thread_local", "relaxed")
        if capture_error_mode not in modes:
            raise ValueError(f"Graph(): capture_error_mode must be one of {modes}, got {capture_error_mode!r}")
        from torch.cuda import CUDAGraph

        self._graph = CUDAGraph(keep_graph)
        self.graph_pool, self.capture_error_mode = pool, capture_error_mode

    def capture_begin(self) -> None:
        """Records the work of the current stream from here on."""
        self._graph.capture_begin(self.graph_pool, self.capture_error_mode.replace("default", "global"))

    def capture_end(self) -> None:
        """Ends the recording."""
        self._graph.capture_end()

    def instantiate(self) -> None:
        """Makes what is started, which otherwise happens at the end of the recording or before the first start."""
        self._graph.instantiate()

    def replay(self) -> None:
        """Starts the work on the current stream."""
        self._graph.replay()

    def reset(self) -> None:
        """Forgets the work, and gives its memory back."""
        self._graph.reset()

    def pool(self) -> tuple[int, int]:
        """The pool of the graph's memory, for other graphs that never run at the same time."""
        return self._graph.pool()

    def enable_debug_mode(self) -> None:
        """Keeps what was recorded, for debug_dump()."""
        self._graph.enable_debug_mode()

    def debug_dump(self, path: str) -> None:
        """Writes the graph to a file.

        Args:
            path (str): its name
        """
        self._graph.debug_dump(path)

    def __enter__(self) -> None:
        self.capture_begin()

    def __exit__(self, *problem: object) -> None:
        try:
            self.capture_end()
        except Exception:
            if problem[0] is None:  # an error in the block says more
                raise
