"""CodeGen: Python code out of the nodes of a graph."""

from __future__ import annotations

import enum
import keyword
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import torch
from torch.fx._annotations import _parse_stack_trace, type_of_value
from torch.fx._names import _custom_builtins, _get_qualified_name, _is_magic, _Namespace, _type_repr  # noqa: F401
from torch.fx.node import Node, _is_namedtuple

_INFIX = {
    "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "add": "+", "sub": "-", "mul": "*", "floordiv": "//",
    "truediv": "/", "mod": "%", "pow": "**", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "matmul": "@",
}  # fmt: skip
_COMPARED = ("==", "!=", "<", ">", "<=", ">=")
magic_methods = {name: f"{{}} {symbol} {{}}" for name, symbol in _INFIX.items()}
magic_methods |= {"pos": "+{}", "neg": "-{}", "invert": "~{}", "getitem": "{}[{}]"}
inplace_methods = {
    f"i{name.rstrip('_')}": f"{{}} {_INFIX[name]}= {{}}"
    for name in "add sub mul floordiv truediv mod pow lshift rshift and_ or_ xor matmul".split()
}
# Python calls `x.__radd__(y)` for `y + x`.
reflectable_magic_methods = {
    name: form for name, form in magic_methods.items() if name in _INFIX and _INFIX[name] not in _COMPARED
}
inplace_methods["setitem"] = "{}[{}] = {}"


@dataclass
class PythonCode:
    """Generated code: its text, and the names that it uses."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None
    _prologue_start: int = 0


def _is_from_torch(obj: Any) -> bool:
    module = getattr(obj, "__module__", None)
    if module is not None:
        return module.partition(".")[0] == "torch" and not module.startswith("torch._dynamo")
    name = getattr(obj, "__name__", None)
    return name is not None and name != "torch" and any(getattr(m, name, None) is obj for m in (torch, torch.nn.functional))


def _format_target(base: str, target: str) -> str:
    """`base.target`, with getattr where a part is no identifier."""
    text = base
    for part in target.split("."):
        plain = part.isidentifier() and not keyword.iskeyword(part)
        text = f"{text}.{part}" if plain else f'getattr({text}, "{part}")'
    return text


_DIM, _GREEN, _BLUE, _RED = "\033[2m", "\033[32m", "\033[34m", "\033[31m"


class _Names:
    """The globals of a piece of code: gives each object that the code refers to a name."""

    def __init__(self, namespace: _Namespace, predefined: Iterable[tuple[str, Any]]) -> None:
        self.namespace = namespace
        self.globals: dict[str, Any] = {}
        for name, obj in predefined:
            self.add(name, obj)

    def add(self, hint: str, obj: Any) -> str:
        """The name of an object in the code."""
        if _is_from_torch(obj) and obj is not torch.device and not isinstance(obj, type(torch.Tensor.add)):
            root, _, rest = _get_qualified_name(obj).partition(".")
            return _format_target(root, rest)
        name = self.namespace.create_name(hint, _Hashable.of(obj))
        self.globals.setdefault(name, obj)
        return name

    def of_type(self, annotation: Any) -> str:
        """An annotation, whose parts are named as well."""
        if annotation == ():
            return "()"
        name = _type_repr(annotation)
        origin = getattr(annotation, "__origin__", None)
        if origin is not None and hasattr(annotation, "__args__"):
            base = self.add(_type_repr(_generic_of(annotation)), _generic_of(annotation))
            return f"{base}[{','.join(map(self.of_type, annotation.__args__))}]"
        if type(annotation).__name__ == "UnionType":
            return "|".join(map(self.of_type, annotation.__args__))
        return self.add(name, annotation)


def _generic_of(annotation: Any) -> Any:
    """`typing.List` of `typing.List[int]`, and `list` of `list[int]`."""
    if type(annotation).__module__ != "typing":
        return annotation.__origin__
    import typing

    name = getattr(annotation, "_name", None)
    if annotation.__origin__ is typing.Union:
        return typing.Union
    return getattr(typing, name) if name else annotation.__origin__


class _Hashable:
    """Stands for an object that has no hash in the table of names; equal to another of the same object."""

    def __init__(self, obj: Any) -> None:
        self.obj = obj

    def __hash__(self) -> int:
        return id(self.obj)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashable) and other.obj is self.obj

    @staticmethod
    def of(obj: Any) -> Any:
        try:
            hash(obj)
        except TypeError:
            return _Hashable(obj)
        return obj


class CodeGen:
    """Turns a graph into the text of a function; a subclass can change how inputs and outputs look.

    Example:
        >>> class Listed(torch.fx.CodeGen):
        ...     def gen_fn_def(self, free_vars, maybe_return_annotation, **options):
        ...         return f"def forward(self, values):\\n    {', '.join(free_vars)}, = values"
        ...     def process_inputs(self, values):
        ...         return values
        >>> module = torch.fx.symbolic_trace(lambda x, y: x - y)
        >>> module.graph.set_codegen(Listed())
        >>> code = module.recompile()
        >>> module([5, 3])
        2
    """

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False) -> str:
        """The line that begins the function, and what takes the inputs apart.

        Args:
            free_vars (list[str]): the parameters, with annotations and defaults
            maybe_return_annotation (str): " -> type", or nothing
            expanded_def (bool, default False): one parameter a line

        Returns:
            the text
        """
        words = free_vars if free_vars and free_vars[0] == "self" else ["self", *free_vars]
        if expanded_def:
            inside = "\n    " + ",\n    ".join(words) + ",\n"
        else:
            inside = ", ".join(words)
        return f"def {self._func_name}({inside}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, descs: Any = None, repr_fn: Callable[[Any], str] | None = None) -> str:
        """The line that returns the result.

        Args:
            output_args (Argument): what is returned
            descs (Sequence[str], optional): of no effect here
            repr_fn (Callable, optional): text of an argument

        Returns:
            the text
        """
        return f"return {(repr_fn or repr)(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """The values of the placeholders out of the arguments of a call; Interpreter uses it.

        Args:
            *args (Any): of the call

        Returns:
            the values
        """
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """The result of a call out of the value of the output node.

        Args:
            outputs (Any): the value

        Returns:
            the result
        """
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Names that the code of this class uses besides those of the nodes.

        Returns:
            pairs of names and objects
        """
        return []

    def _gen_python_code(self, nodes: Any, root_module: str, namespace: _Namespace, **options: Any) -> PythonCode:
        predefined = [(name, builtin.obj) for name, builtin in _custom_builtins.items()]
        writer = _Writer(self, root_module, _Names(namespace, [*self.additional_globals(), *predefined]), **options)
        return writer.write(list(nodes))


class _Writer:
    """The state of one run of CodeGen."""

    def __init__(self, codegen: CodeGen, root: str, names: _Names, *, verbose: bool = False, include_stride: bool = False,
                 include_device: bool = False, colored: bool = False, expanded_def: bool = False, record_func: bool = False,
                 additional_meta: list[str] | None = None) -> None:  # fmt: skip
        self.codegen, self.root, self.names = codegen, root, names
        self.verbose, self.stride, self.device = verbose, include_stride, include_device
        self.colored, self.expanded, self.meta = colored, expanded_def, additional_meta or []
        self.free_vars: list[str] = []
        self.body: list[str] = []
        self.wrapped: dict[str, None] = {}
        self.returns = ""
        self.summary: str | None = ""

    def paint(self, color: str, text: str) -> str:
        return f"{color}{text}\033[0m" if self.colored else text

    def repr(self, arg: Any) -> str:
        """An argument as code."""
        if _is_namedtuple(arg):
            return f"{self.names.add(_get_qualified_name(type(arg)), type(arg))}({', '.join(map(self.repr, arg))})"
        if isinstance(arg, (torch._ops.OpOverload, types.FunctionType, types.BuiltinFunctionType)):
            return self.names.add(_get_qualified_name(arg), arg)
        if isinstance(arg, type) and not isinstance(arg, types.GenericAlias):
            return self.names.add(_type_repr(arg), arg)
        if isinstance(arg, enum.Enum):
            return f"{self.names.add(type(arg).__name__, type(arg))}.{arg.name}"
        if isinstance(arg, Node):
            return repr(arg)
        if isinstance(arg, torch.Tensor):
            return f"torch.Tensor(size={list(arg.shape)}, dtype={str(arg.dtype).partition('.')[2]})"
        if isinstance(arg, slice):
            return f"slice({self.repr(arg.start)}, {self.repr(arg.stop)}, {self.repr(arg.step)})"
        if isinstance(arg, tuple):
            return f"({', '.join(map(self.repr, arg))}{',' if len(arg) == 1 else ''})"
        if isinstance(arg, list):
            return f"[{', '.join(map(self.repr, arg))}]"
        if isinstance(arg, dict):
            return "{" + ", ".join(f"{self.repr(key)}: {self.repr(value)}" for key, value in arg.items()) + "}"
        return repr(arg)

    def call(self, callee: str, args: Any, kwargs: Any) -> str:
        words = [*map(self.repr, args), *(f"{key} = {self.repr(value)}" for key, value in kwargs.items())]
        return f"{callee}({', '.join(words)})"

    def annotation(self, node: Node) -> str:
        """What stands between the name of a node and the equals sign."""
        if self.verbose:
            known = type_of_value(node.meta.get("val", node.meta.get("tensor_meta")), self.stride, self.device)
            if known:
                return ": " + self.paint(_BLUE, f'"{known}"')
        return f" : {self.names.of_type(node.type)}" if node.type is not None else ""

    def emit(self, node: Node) -> None:
        """The line of one node, without its end."""
        if node.op == "placeholder":
            self.placeholder(node)
        elif node.op == "output":
            if node.type is not None:
                self.returns = f" -> {self.names.of_type(node.type)}"
            if _accepts_repr(self.codegen.generate_output):
                self.body.append(self.codegen.generate_output(node.args[0], repr_fn=self.repr))
            else:
                self.body.append(self.codegen.generate_output(node.args[0]))
        elif node.op == "call_function" and self.in_place(node):
            text = inplace_methods[node.target.__name__].format(*map(self.repr, node.args))  # type: ignore[union-attr]
            self.body.append(f"{text};  {node!r}{self.annotation(node)} = {self.repr(node.args[0])}")
        else:
            self.body.append(f"{node!r}{self.annotation(node)} = {self.value(node)}")

    @staticmethod
    def in_place(node: Node) -> bool:
        return getattr(node.target, "__module__", None) == "_operator" and node.target.__name__ in inplace_methods  # type: ignore[union-attr]

    def placeholder(self, node: Node) -> None:
        target = str(node.target)
        default = f" = {self.repr(node.args[0])}" if node.args else ""
        self.free_vars.append(f"{target}{self.annotation(node)}{default}")
        name = target.replace("*", "")
        if name != repr(node):
            self.body.append(f"{node!r} = {name}")

    def value(self, node: Node) -> str:
        """The expression of a node."""
        target: Any = node.target
        if node.op == "call_method":
            return self.call(_format_target(self.repr(node.args[0]), target), node.args[1:], node.kwargs)
        if node.op == "call_module":
            return self.call(_format_target(self.root, target), node.args, node.kwargs)
        if node.op == "get_attr":
            return _format_target(self.root, target)
        name = getattr(target, "__name__", "")
        if getattr(target, "__module__", None) == "_operator" and name in magic_methods:
            return magic_methods[name].format(*map(self.repr, node.args))
        qualified = _get_qualified_name(target)
        callee = self.names.add(qualified, target)
        simple = len(node.args) == 2 and isinstance(node.args[1], str) and node.args[1].isidentifier()
        if callee == "getattr" and isinstance(node.args, tuple) and simple:
            return _format_target(self.repr(node.args[0]), node.args[1])
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(callee)
        return self.call(callee, node.args, node.kwargs)

    def forget_values(self, node: Node, last_uses: dict[Node, list[Node]]) -> str:
        """Sets the names to None that no later line uses, so that their memory is given back."""
        if node.op in ("placeholder", "output"):
            return ""
        unused = last_uses.get(node, [])
        if not node.users:
            unused = [*unused, node]
        text = " = ".join([*map(repr, unused), "None"])
        return ";  " + self.paint(_DIM, text) if unused else ""

    def where(self, node: Node) -> None:
        """A comment when the line of the program changes."""
        if node.op in ("placeholder", "output"):
            return
        trace = node.stack_trace
        found = _parse_stack_trace(trace) if trace else None
        summary = found.get_summary_str() if found else None if not trace else ""
        if summary is None:
            if self.summary != "none":
                self.comment("No stacktrace found for following nodes")
                self.summary = "none"
        elif summary != self.summary:
            self.summary = summary
            if summary:
                self.comment(summary)

    def comment(self, text: str) -> None:
        self.body.append(("\n" if self.body else "") + self.paint(_DIM, "# " + text))

    def write(self, nodes: list[Node]) -> PythonCode:
        last_uses = _last_uses(nodes)
        node_of_line: list[tuple[int, int]] = []  # (index in the body, index of the node)
        for k, node in enumerate(nodes):
            if self.verbose:
                self.where(node)
            for key in self.meta:
                if key in node.meta:
                    self.body.append(f"# {key}: {node.meta[key]}")
            self.emit(node)
            if node.op != "placeholder" and self.body:
                self.body[-1] += self.forget_values(node, last_uses)
            node_of_line.append((len(self.body), k))
        if not self.body:
            self.body.append("pass")
        head = self.definition()
        transform = self.codegen._body_transformer
        if transform is not None:
            lines = transform([line + "\n" for line in self.body])
            body = "".join(lines).rstrip("\n").split("\n")
        else:
            body = [line for entry in self.body for line in entry.split("\n")]
        imports = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in self.wrapped)
        text = "\n".join("    " + line if line else "" for line in body)
        src = f"\n{imports}\n\n{head}\n{text}\n    "
        return PythonCode(src, self.names.globals, *self.line_numbers(src, head, node_of_line))

    def definition(self) -> str:
        if self.codegen._func_name == "forward" and not self.expanded:
            return self.codegen.gen_fn_def(self.free_vars, self.returns)
        return self.codegen.gen_fn_def(self.free_vars, self.returns, expanded_def=self.expanded)

    def line_numbers(self, src: str, head: str, node_of_line: list[tuple[int, int]]) -> tuple[dict[int, int | None], int]:
        """{line, counted from the one after the prologue: index of its node}, and the length of the prologue."""
        start = src[: src.index(head)].count("\n") + head.count("\n") + 1
        table: dict[int, int | None] = {}
        line, done = 0, 0
        for end, k in node_of_line:
            for entry in self.body[done:end]:
                for _ in entry.split("\n"):
                    line += 1
                    table[line] = k
            done = end
        table[line + 1] = node_of_line[-1][1] if node_of_line else None
        return table, start


def _accepts_repr(function: Callable[..., Any]) -> bool:
    """Whether an overriding `generate_output` takes `repr_fn`, which those written for older versions do not."""
    import inspect

    parameters = inspect.signature(function).parameters
    return "repr_fn" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _last_uses(nodes: list[Node]) -> dict[Node, list[Node]]:
    """{node: what is used there for the last time, in the order of the arguments}."""
    found: dict[Node, list[Node]] = {}
    seen: set[Node] = set()
    for node in reversed(nodes):
        for used in node._input_nodes:
            if used not in seen:
                seen.add(used)
                found.setdefault(node, []).append(used)
    return found
