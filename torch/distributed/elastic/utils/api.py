"""Environment variables, free ports, and what stands for the local rank in arguments."""

from __future__ import annotations

import os
import socket
from typing import Any


def get_env_variable_or_raise(env_name: str) -> str:
    """An environment variable.

    Args:
        env_name (str): its name

    Returns:
        its value

    Raises:
        ValueError: it is not set

    Example:
        >>> os.environ["LOCAL_RANK"] = "3"
        >>> torch.distributed.elastic.utils.get_env_variable_or_raise("LOCAL_RANK")
        '3'
    """
    value = os.environ.get(env_name)
    if value is None:
        raise ValueError(f"get_env_variable_or_raise(): the environment variable {env_name} is not set")
    return value


def get_socket_with_port() -> socket.socket:
    """A socket at a free port of this machine, which it holds until it is closed.

    Returns:
        the socket

    Raises:
        RuntimeError: there is none

    Example:
        >>> with torch.distributed.elastic.utils.get_socket_with_port() as s:
        ...     s.getsockname()[1] > 0
        True
    """
    for family, kind, protocol, _, _ in socket.getaddrinfo("localhost", None, type=socket.SOCK_STREAM):
        s = socket.socket(family, kind, protocol)
        try:
            s.bind(("localhost", 0))
            s.listen(0)
            return s
        except OSError:
            s.close()
    raise RuntimeError("get_socket_with_port(): no socket can be bound at localhost")


class macros:  # noqa: N801  (PyTorch's name)
    """What stands for values in the arguments of workers."""

    local_rank = "${local_rank}"

    @staticmethod
    def substitute(args: list[Any], local_rank: str) -> list[Any]:
        """Puts values in the place of macros.

        Args:
            args (list): arguments; those that are no strings stay as they are
            local_rank (str): the local rank

        Returns:
            the arguments

        Example:
            >>> torch.distributed.elastic.utils.macros.substitute(["--rank=${local_rank}", 1], "0")
            ['--rank=0', 1]
        """
        return [arg.replace(macros.local_rank, local_rank) if isinstance(arg, str) else arg for arg in args]
