"""What needs libraries that this build lacks, and says so."""

from __future__ import annotations

import os


class emit_nvtx:
    """Marks operators for NVIDIA's profilers: needs CUDA, which this build lacks. Raises AssertionError when entered."""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self):
        if self.enabled:
            raise AssertionError("Torch not compiled with CUDA enabled: emit_nvtx has no NVTX to talk to")
        return self

    def __exit__(self, *exc):
        return False


class emit_itt:
    """Marks operators for VTune: needs Intel's ITT library, which this build lacks. Raises RuntimeError when entered."""

    def __init__(self, enabled=True, record_shapes=False):
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self):
        if self.enabled:
            raise RuntimeError("emit_itt: this build has no ITT library; torch.profiler.profile writes traces without it")
        return self

    def __exit__(self, *exc):
        return False


class EnforceUnique:
    """Raises RuntimeError when see() gets the same key twice."""

    def __init__(self):
        self.seen = set()

    def see(self, *key):
        if key in self.seen:
            raise RuntimeError(f"duplicate key: {key}")
        self.seen.add(key)


def parse_nvprof_trace(path):
    """Refused: reads files of nvprof, which went out with CUDA 13. Raises FileNotFoundError or NotImplementedError."""
    if not os.path.exists(path):
        raise FileNotFoundError(f"parse_nvprof_trace: no such file: {path}")
    raise NotImplementedError("parse_nvprof_trace: files of nvprof are not read here; export_chrome_trace writes traces")


def load_nvprof(path):
    """Refused like parse_nvprof_trace."""
    return parse_nvprof_trace(path)
