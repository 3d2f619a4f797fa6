"""What docstrings of torch.distributed share: arguments that many functions have, and what examples need around them."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_SHARED = {
    "group": "group (ProcessGroup, optional): the ranks that take part; all by default",
    "async_op": "async_op (bool, default False): return at once with a Work, and go on in the background",
    "op": "op (ReduceOp, default SUM): how values are combined",
    "src": "src (int, optional): the rank that sends, counted over all processes",
    "dst": "dst (int, optional): the rank that receives, counted over all processes",
    "group_src": "group_src (int, optional): the rank that sends, counted within the group",
    "group_dst": "group_dst (int, optional): the rank that receives, counted within the group",
    "tag": "tag (int, default 0): receives only messages that were sent with the same one",
    "device": "device (device, optional): of no effect; the bytes of objects are tensors on the CPU",
    "timeout": "timeout (timedelta, optional): how long collectives of the group may take; 30 minutes by default",
    "backend": "backend (str, optional): the name of the engine, such as \"gloo\"",
    "group_desc": "group_desc (str, optional): a description",
    "pg_options": "pg_options (object, optional): options of the backend",
    "use_batch": "use_batch (bool, default False): of no effect",
}  # fmt: skip
_BEFORE = '>>> torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)'
_AFTER = ">>> torch.distributed.destroy_process_group()"


def documented(example: str = "") -> Callable[[F], F]:
    """Completes a docstring: {name} stands for a shared argument, and the example runs in a group of one rank.

    The last part of the docstring is the example, made of lines of Python with their output.
    """

    def complete(function: F) -> F:
        first, _, rest = (function.__doc__ or "").partition("\n")
        doc = f"{first}\n{textwrap.dedent(rest)}".strip()
        for name, text in _SHARED.items():
            doc = doc.replace("{" + name + "}", text)
        lines = [_BEFORE, *example.splitlines(), _AFTER]
        function.__doc__ = doc + "\n\nExample:\n" + "\n".join("    " + line for line in lines)
        return function

    return complete
