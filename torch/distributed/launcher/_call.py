"""A worker that calls a function, which it reads from a file, and writes its result into another one."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from multiprocessing import spawn
from typing import Any

_RESULT = "result.pickle"


def write_call(path: str, function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Writes a call into a file. The worker imports the main module as processes of `multiprocessing` do."""
    with open(path, "wb") as file:
        about = spawn.get_preparation_data("worker")
        about.pop("authkey", None)
        pickle.dump(about, file)
        try:
            pickle.dump((function, args), file)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise TypeError(f"elastic_launch: the function and its arguments go to other processes by pickle: {error}") from error


def command_of_call(path: str, function: Callable[..., Any], args: tuple[Any, ...]) -> list[str]:
    """Writes a call into a file, and gives the command of a worker that calls it."""
    write_call(path, function, args)
    return [sys.executable, "-u", "-c", f"from {__name__} import main; main({path!r})"]


def read_result(folder: str) -> Any:
    """What the function of a worker has returned; None for other programs."""
    try:
        with open(os.path.join(folder, _RESULT), "rb") as file:
            return pickle.load(file)
    except FileNotFoundError:
        return None


def main(path: str) -> None:
    """What the worker does."""
    from torch.distributed.elastic.multiprocessing.errors import record

    with open(path, "rb") as file:
        about = pickle.load(file)
        spawn.prepare(about)
        function, args = pickle.load(file)
    result = record(function)(*args)
    folder = os.path.dirname(os.environ["TORCHELASTIC_ERROR_FILE"])
    with open(os.path.join(folder, _RESULT), "wb") as file:
        pickle.dump(result, file)
