"""FxGraphDrawer: a picture of a graph, as SVG or as text of the dot language, which graphviz turns into other formats."""

from __future__ import annotations

import hashlib
import subprocess
from typing import Any

from torch.fx.graph_module import GraphModule
from torch.fx.node import Node, _get_qualified_name

__all__ = ["FxGraphDrawer"]

_COLORS = {"placeholder": "AliceBlue", "call_module": "LemonChiffon1", "get_attr": "LightGrey", "output": "PowderBlue"}
_PALETTE = (
    "CadetBlue1", "Coral", "DarkOliveGreen1", "DarkSeaGreen1", "GhostWhite", "Khaki1", "LavenderBlush1", "LightSkyBlue",
    "MistyRose1", "MediumPurple1", "PaleTurquoise2", "PaleGreen1", "PeachPuff1", "Salmon", "SteelBlue1", "Thistle1",
)  # fmt: skip


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _in_record(text: str) -> str:
    """Text inside of a node, whose fields are divided by | and {}."""
    for mark in '\\{}|<>"':
        text = text.replace(mark, "\\" + mark)
    return text


class Dot:
    """A picture in the dot language.

    Args:
        name (str): of the graph
        shape (str): of the nodes
    """

    def __init__(self, name: str, shape: str) -> None:
        self.name, self.shape = name, shape
        self.nodes: dict[str, dict[str, str]] = {}
        self.rows: dict[str, list[str]] = {}
        self.edges: list[tuple[str, str]] = []

    def to_string(self) -> str:
        """The text."""
        lines = [f"digraph {_quoted(self.name)} {{", "    rankdir=TB;"]
        for name, attributes in self.nodes.items():
            words = ", ".join(f"{key}={_quoted(value) if key != 'label' else value}" for key, value in attributes.items())
            lines.append(f"    {_quoted(name)} [{words}];")
        lines += [f"    {_quoted(source)} -> {_quoted(target)};" for source, target in self.edges]
        return "\n".join([*lines, "}", ""])

    def create(self, format: str = "svg") -> bytes:
        """The picture in another format, drawn by graphviz; SVG is drawn without it where it is not installed.

        Args:
            format (str, default "svg"): svg, png, pdf or another one of graphviz

        Returns:
            the bytes

        Raises:
            RuntimeError: the program `dot` of graphviz is not installed, or fails
        """
        if format in ("dot", "raw"):
            return self.to_string().encode()
        try:
            done = subprocess.run(["dot", f"-T{format}"], input=self.to_string().encode(), capture_output=True)
        except FileNotFoundError:
            if format == "svg":
                from torch.fx.passes._svg import svg

                colors = {name: attributes["fillcolor"] for name, attributes in self.nodes.items()}
                return svg(self.name, self.rows, colors, self.edges).encode()
            raise RuntimeError(
                f"FxGraphDrawer: the program dot of graphviz draws {format}, but it is not installed; "
                "get_dot_graph().to_string() is the same picture as text"
            ) from None
        if done.returncode:
            raise RuntimeError(f"FxGraphDrawer: dot failed: {done.stderr.decode(errors='replace').strip()}")
        return done.stdout

    def create_svg(self) -> bytes:
        """The picture as SVG."""
        return self.create("svg")

    def create_png(self) -> bytes:
        """The picture as PNG."""
        return self.create("png")

    def write(self, path: str, format: str = "raw") -> bool:
        """Write the picture to a file."""
        with open(path, "wb") as file:
            file.write(self.create(format))
        return True

    def write_svg(self, path: str) -> bool:
        """Write it as SVG."""
        return self.write(path, "svg")

    def write_raw(self, path: str) -> bool:
        """Write it as text."""
        return self.write(path, "raw")


class FxGraphDrawer:
    """A picture of a graph, and of the graphs of the modules that it calls.

    Args:
        graph_module (GraphModule): whose graph it is
        name (str): of the picture
        ignore_getattr (bool, default False): leave out reads of attributes
        ignore_parameters_and_buffers (bool, default False): do not list them in the nodes of modules
        skip_node_names_in_args (bool, default True): list only arguments that are no nodes
        parse_stack_trace (bool, default False): show the lines of the program
        dot_graph_shape (str, optional): of the nodes; by default record
        normalize_args (bool, default False): list arguments by the names of the schema

    Example:
        >>> from torch.fx.passes.graph_drawer import FxGraphDrawer
        >>> module = torch.fx.symbolic_trace(lambda x: torch.relu(x))
        >>> print(FxGraphDrawer(module, "example").get_dot_graph().to_string().splitlines()[0])
        digraph "example" {
    """

    def __init__(self, graph_module: GraphModule, name: str, ignore_getattr: bool = False,
                 ignore_parameters_and_buffers: bool = False, skip_node_names_in_args: bool = True,
                 parse_stack_trace: bool = False, dot_graph_shape: str | None = None,
                 normalize_args: bool = False) -> None:  # fmt: skip
        self._name = name
        self.dot_graph_shape = dot_graph_shape or "record"
        self.normalize_args = normalize_args
        self._options = (ignore_getattr, ignore_parameters_and_buffers, skip_node_names_in_args, parse_stack_trace)
        self._dot_graphs = {name: self._draw(graph_module, name)}
        for child_name, child in graph_module.named_children():
            if isinstance(child, GraphModule):
                self._dot_graphs[f"{name}_{child_name}"] = self._draw(child, f"{name}_{child_name}")

    def get_dot_graph(self, submod_name: str | None = None) -> Dot:
        """The picture.

        Args:
            submod_name (str, optional): of a module with a graph, of which it shall be

        Returns:
            an object with `to_string`, `create_svg`, `write_svg` and their kin
        """
        return self._dot_graphs[self._name if submod_name is None else f"{self._name}_{submod_name}"]

    get_main_dot_graph = get_dot_graph

    def get_submod_dot_graph(self, submod_name: str) -> Dot:
        """The picture of the graph of a module.

        Args:
            submod_name (str): its name

        Returns:
            the picture
        """
        return self.get_dot_graph(submod_name)

    def get_all_dot_graphs(self) -> dict[str, Dot]:
        """All pictures by name.

        Returns:
            the pictures
        """
        return self._dot_graphs

    def _draw(self, module: GraphModule, name: str) -> Dot:
        ignore_getattr = self._options[0]
        picture = Dot(name, self.dot_graph_shape)
        for node in module.graph.nodes:
            if ignore_getattr and node.op == "get_attr":
                continue
            rows = picture.rows[node.name] = self._rows(module, node)
            picture.nodes[node.name] = {
                "label": self._label(rows), "shape": self.dot_graph_shape, "style": "filled,rounded",
                "fillcolor": self._color(node), "fontcolor": "#000000",
            }  # fmt: skip
            for used in node.all_input_nodes:
                if not (ignore_getattr and used.op == "get_attr"):
                    picture.edges.append((used.name, node.name))
        return picture

    def _color(self, node: Node) -> str:
        if node.op in _COLORS and node.op != "call_module":
            return _COLORS[node.op]
        target = str(self._target(node)).encode()
        return _PALETTE[int(hashlib.md5(target).hexdigest()[:8], 16) % len(_PALETTE)]

    def _target(self, node: Node) -> str:
        return _get_qualified_name(node.target) if callable(node.target) else str(node.target)

    def _label(self, rows: list[str]) -> str:
        if self.dot_graph_shape == "record":
            return '"{' + "|".join(map(_in_record, rows)) + '}"'
        return _quoted("\\n".join(rows))

    def _rows(self, module: GraphModule, node: Node) -> list[str]:
        _, skip_parameters, skip_names, with_stack = self._options
        rows = [f"name=%{node.name}", f"op_code={node.op}"]
        if node.op == "call_module":
            called = module.get_submodule(str(node.target))
            extra = called.extra_repr()
            rows.append(f"{type(called).__name__}({extra})")
            if not skip_parameters:
                for title, values in (("params", called.named_parameters()), ("buffers", called.named_buffers())):
                    rows += [f"{title}: {name}: {list(value.shape)}" for name, value in values]
        else:
            rows.append(f"target={self._target(node)}")
        args = [a for a in node.args if not (skip_names and isinstance(a, Node))]
        if args:
            rows.append(f"args={tuple(args)}")
        if node.kwargs:
            rows.append(f"kwargs={dict(node.kwargs)}")
        rows.append(f"num_users={len(node.users)}")
        meta: Any = node.meta.get("tensor_meta")
        if hasattr(meta, "shape"):
            rows += [f"dtype={meta.dtype}", f"shape={tuple(meta.shape)}", f"stride={meta.stride}"]
        if with_stack and node.stack_trace:
            rows.append(node.stack_trace.strip().splitlines()[-1].strip())
        return rows
