"""What passes note down about nodes while they make new ones, and where nodes come from."""

from __future__ import annotations

import contextlib
import functools
import traceback
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

__all__ = [
    "annotate", "annotate_fn", "preserve_node_meta", "has_preserved_node_meta", "set_stack_trace", "set_grad_fn_seq_nr",
    "reset_grad_fn_seq_nr", "format_stack", "set_current_meta", "get_current_meta", "NodeSource", "NodeSourceAction",
    "get_graph_provenance_json", "set_current_replay_node", "get_current_replay_node",
]  # fmt: skip

current_meta: dict[str, Any] = {}
current_replay_node: Any = None
should_preserve_node_meta = False


class NodeSourceAction(Enum):
    """What a pass did to get a node."""

    CREATE = "create"
    REPLACE = "replace"


class NodeSource:
    """Where a node comes from: the node that a pass made it of, and where that comes from.

    Args:
        node (Node, optional): the former node
        pass_name (str, default ""): of the pass
        action (NodeSourceAction or list, optional): what the pass did
    """

    def __init__(self, node: Any, pass_name: str = "", action: Any = None) -> None:
        self.pass_name = pass_name
        self.action = action if isinstance(action, list) else [action] if action is not None else []
        self.name = node.name if node is not None else ""
        self.target = str(node.target) if node is not None else ""
        self.graph_id = id(node.graph) if node is not None else -1
        self.from_node = list(node.meta.get("from_node", ())) if node is not None else []

    def _get_action_string(self) -> str:
        return "+".join(action.name.lower() for action in self.action)

    def __repr__(self) -> str:
        return self.print_readable()

    def print_readable(self, indent: int = 0) -> str:
        """As text, one line for each step back."""
        if indent > 9:
            return ""
        line = (
            " " * indent * 4
            + f"(name={self.name}, pass_name={self.pass_name}, action={self._get_action_string()}, graph_id={self.graph_id})\n"
        )
        return line + "".join(source.print_readable(indent + 1) for source in self.from_node)

    def to_dict(self) -> dict[str, Any]:
        """As data."""
        return {
            "name": self.name, "target": self.target, "graph_id": self.graph_id, "pass_name": self.pass_name,
            "action": self._get_action_string(), "from_node": [source.to_dict() for source in self.from_node],
        }  # fmt: skip


@contextlib.contextmanager
def annotate(annotation_dict: dict[str, Any]) -> Iterator[None]:
    """A block whose nodes get entries in `meta["custom"]`, while nodes' meta data are preserved."""
    global current_meta
    before = current_meta
    current_meta = {**before, "custom": {**before.get("custom", {}), **annotation_dict}}
    try:
        yield
    finally:
        current_meta = before


def annotate_fn(annotation_dict: dict[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: the whole function is a block of `annotate`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def annotated(*args: Any, **kwargs: Any) -> Any:
            with annotate(annotation_dict):
                return function(*args, **kwargs)

        return annotated

    return decorate


@contextlib.contextmanager
def preserve_node_meta(enable: bool = True) -> Iterator[None]:
    """A block in which new nodes get the meta data of the node that is being run."""
    global should_preserve_node_meta, current_meta
    before = should_preserve_node_meta, current_meta
    should_preserve_node_meta, current_meta = enable, current_meta.copy()
    try:
        yield
    finally:
        should_preserve_node_meta, current_meta = before


def has_preserved_node_meta() -> bool:
    """Whether such a block is on."""
    return should_preserve_node_meta


def set_stack_trace(stack: list[str]) -> None:
    """Let the next nodes have this stack, if meta data are preserved."""
    if should_preserve_node_meta and stack:
        current_meta["stack_trace"] = "".join(stack)


def set_grad_fn_seq_nr(seq_nr: int) -> None:
    """Let the next nodes have the number of an autograd node, if meta data are preserved."""
    if should_preserve_node_meta:
        current_meta["grad_fn_seq_nr"] = [*current_meta.get("grad_fn_seq_nr", []), seq_nr]
        current_meta["in_grad_fn"] = current_meta.get("in_grad_fn", 0) + 1


def reset_grad_fn_seq_nr() -> None:
    """Undo the last `set_grad_fn_seq_nr`."""
    if should_preserve_node_meta and current_meta.get("in_grad_fn", 0):
        current_meta["in_grad_fn"] -= 1
        current_meta["grad_fn_seq_nr"] = current_meta["grad_fn_seq_nr"][:-1]
        if not current_meta["in_grad_fn"]:
            del current_meta["in_grad_fn"], current_meta["grad_fn_seq_nr"]


def format_stack() -> list[str]:
    """The stack that the next nodes will have."""
    if should_preserve_node_meta:
        return [current_meta.get("stack_trace", "")]
    return traceback.format_list(traceback.extract_stack()[:-1])


@contextlib.contextmanager
def set_current_meta(node: Any, pass_name: str = "") -> Iterator[None]:
    """A block that runs a node: the nodes that it makes get its meta data, if these are preserved."""
    global current_meta
    if not should_preserve_node_meta or not node.meta:
        yield
        return
    before = current_meta
    current_meta = node.meta.copy()
    current_meta["from_node"] = [NodeSource(node, pass_name, NodeSourceAction.CREATE)]
    try:
        yield
    finally:
        current_meta = before


def get_current_meta() -> dict[str, Any]:
    """The meta data that the next nodes get."""
    return current_meta


@contextlib.contextmanager
def set_current_replay_node(node: Any) -> Iterator[None]:
    """A block that runs a node of a graph again."""
    global current_replay_node
    before, current_replay_node = current_replay_node, node
    try:
        yield
    finally:
        current_replay_node = before


def get_current_replay_node() -> Any:
    """The node that is being run again, or None."""
    return current_replay_node


def get_graph_provenance_json(graph: Any) -> dict[str, Any]:
    """{name of a node: where it comes from}, as data."""
    return {node.name: [source.to_dict() for source in node.meta.get("from_node", ())] for node in graph.nodes}
