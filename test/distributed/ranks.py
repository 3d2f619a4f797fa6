"""Runs a function of a test module in several processes, the ranks of one job; none of them outlives the test.

    results = run_ranks(function, 2)

calls `function(rank, size)` in each after `init_process_group`, and gives what the calls returned. A rank that raises, or that
takes too long, fails the test with the output of all.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from surroundings import emulated_device  # noqa: E402

import torch.distributed as dist

needs_gloo = pytest.mark.skipif(not dist.is_available(), reason="this build has no torch.distributed")


class Ranks:
    """Processes under way."""

    def __init__(
        self, function: Callable[..., Any], size: int, backend: str | None, arguments: tuple[Any, ...], **settings: str
    ) -> None:  # fmt: skip
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name)
        (path / "arguments").write_bytes(pickle.dumps((backend, arguments)))
        file = sys.modules[function.__module__].__file__
        environment = {**os.environ, "OMP_NUM_THREADS": "1", **settings}
        self.outputs = [open(path / f"output{rank}", "w+") for rank in range(size)]
        self.processes = [
            subprocess.Popen(
                [sys.executable, __file__, str(file), function.__name__, str(rank), str(size), str(path)], stdout=output,
                stderr=subprocess.STDOUT, env=environment, start_new_session=True,
            )
            for rank, output in enumerate(self.outputs)
        ]  # fmt: skip

    def wait(self, timeout: float) -> None:
        deadline = time.monotonic() + timeout
        for process in self.processes:
            process.wait(max(0.01, deadline - time.monotonic()))

    def output(self) -> str:
        texts = []
        for rank, file in enumerate(self.outputs):
            file.seek(0)
            texts.append(f"--- rank {rank}, exit status {self.processes[rank].returncode}\n{file.read()}")
        return "\n".join(texts)

    def result(self, rank: int) -> Any:
        return pickle.loads((Path(self.folder.name) / f"result{rank}").read_bytes())

    def end(self) -> None:
        for process, output in zip(self.processes, self.outputs):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
            output.close()
        self.folder.cleanup()


def run_ranks(function: Callable[..., Any], size: int, *arguments: Any, timeout: float = 60, group: bool = True,
              killed: tuple[int, ...] = (), ended_by: int = signal.SIGKILL, backend: str = "gloo", **settings: str
              ) -> list[Any]:  # fmt: skip
    """What `function(rank, size, *arguments)` gave in each rank. Ranks in `killed` end by a signal and give None.

    `settings` are environment variables. With a backend for GPUs, each rank has one of its own, the emulated device's if there is
    no other.
    """
    if backend == "nccl":
        settings = {"TORCH_CUDA_EMULATED_DEVICES": str(size), **emulated_device(), **settings}
    ranks = Ranks(function, size, backend if group else None, arguments, **settings)
    try:
        try:
            ranks.wait(timeout)
        except subprocess.TimeoutExpired:
            for process in ranks.processes:
                process.kill()
                process.wait()
            pytest.fail(f"the ranks took more than {timeout} s\n{ranks.output()}")
        codes = [process.returncode for process in ranks.processes]
        expected = [-ended_by if rank in killed else 0 for rank in range(size)]
        assert codes == expected, ranks.output()
        return [None if rank in killed else ranks.result(rank) for rank in range(size)]
    finally:
        ranks.end()


def main() -> None:
    file, name, rank, size, folder = sys.argv[1:]
    sys.path.insert(0, str(Path(file).parent))
    spec = importlib.util.spec_from_file_location(Path(file).stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    backend, arguments = pickle.loads((Path(folder) / "arguments").read_bytes())
    if backend == "nccl":
        import torch

        torch.cuda.set_device(int(rank))
    if backend:
        dist.init_process_group(backend, f"file://{folder}/meeting", rank=int(rank), world_size=int(size))
    result = getattr(module, name)(int(rank), int(size), *arguments)
    if dist.is_initialized():
        dist.destroy_process_group()
    (Path(folder) / f"result{rank}").write_bytes(pickle.dumps(result))


if __name__ == "__main__":
    main()
