"""What an autograd node saves and computes, from the formulas of an entry.

A formula is a C++ expression over `grad` (or `grads[i]`), the operator's arguments, `result` (or the names
of the results) and free functions of at:: and torch::autograd::generated. Values that it names are saved:
tensors as SavedVariable, `self.sizes()` and the like as plain values, so that saving a shape does not keep the tensor's memory.
A key may name several inputs ("input, weight"); its formula then returns a std::tuple, with a vector for a list, and may use
`grad_input_mask`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from torchgen.model import Entry, Operator
from torchgen.schema import Argument
from torchgen.schema_types import TYPES
from torchgen.types_cpp import argument_type

_SHAPE_FACTS = {
    "sizes": ("DimVector", "DimVector({0}.sizes())"),
    "strides": ("DimVector", "DimVector({0}.strides())"),
    "scalar_type": ("ScalarType", "{0}.scalar_type()"),
    "dim": ("int64_t", "{0}.dim()"),
    "numel": ("int64_t", "{0}.numel()"),
    "storage_offset": ("int64_t", "{0}.storage_offset()"),
    "options": ("TensorOptions", "{0}.options()"),
    "device": ("Device", "{0}.device()"),
    "is_complex": ("bool", "{0}.is_complex()"),
}


@dataclass
class Saved:
    field: str  # member of the node, without the trailing underscore
    cpp: str  # its C++ type
    fill: str  # the expression that sets it in the forward call
    local: str  # how `apply` restores its name; "" if formulas use the member under its own name
    is_output: bool = False
    uses: set[int] = field(default_factory=set)  # the formulas that need it
    shape_only: bool = False


@dataclass
class Formula:
    inputs: list[str]
    text: str


@dataclass
class Node:
    name: str
    formulas: list[Formula]
    saved: list[Saved]
    differentiable: list[Argument]  # in the order of the edges


def node_name(entry: Entry) -> str:
    if entry.node:
        return entry.node
    base = entry.schema.name
    private = base.startswith("_")
    words = "".join(w[:1].upper() + w[1:] for w in base.strip("_").split("_"))
    return f"{words}Backward0" if not private else f"{words}Backward0"


def build_node(op: Operator) -> Node | None:
    entry = op.entry
    if not entry.derivatives:
        return None
    saved: dict[str, Saved] = {}
    formulas, named = [], []
    for index, (names, text) in enumerate(entry.derivatives.items()):
        inputs = [n.strip() for n in names.split(",")]
        named += inputs
        formulas.append(Formula(inputs, _collect(op, text, saved, index)))
    args = {a.name: a for a in op.schema.arguments}
    differentiable = [a for a in op.schema.arguments if a.name in named]
    assert all(n in args for n in named)
    return Node(node_name(entry), formulas, list(saved.values()), differentiable)


def _collect(op: Operator, text: str, saved: dict[str, Saved], index: int) -> str:
    """Records what the formula needs; returns it with shape expressions replaced by the names of saved values."""
    returns = op.entry.schema.returns
    result_names = {}
    if len(returns) == 1:
        result_names["result"] = None
    for i, r in enumerate(returns):
        result_names[r.name or f"result{i}"] = i if len(returns) > 1 else None

    def note(s: Saved) -> None:
        saved.setdefault(s.field, s).uses.add(index)

    tensors = [a.name for a in op.schema.arguments if a.type.is_tensor and not a.out]
    lists = [a.name for a in op.schema.arguments if a.type.is_tensor_like and a.type.is_list]
    for name in lists:
        pattern = rf"\bto_args_sizes\({name}\)"
        if re.search(pattern, text):
            note(Saved(f"{name}_args_sizes", "std::vector<DimVector>", f"to_args_sizes({name})", "", shape_only=True))
            text = re.sub(pattern, f"{name}_args_sizes_", text)
        pattern = rf"\bto_args_scalartypes\({name}\)"
        if re.search(pattern, text):
            note(Saved(f"{name}_args_types", "std::vector<ScalarType>", f"to_args_scalartypes({name})", "", shape_only=True))
            text = re.sub(pattern, f"{name}_args_types_", text)
        text = re.sub(rf"\b{name}\.size\(\)", f"{name}_size_", text)
        if f"{name}_size_" in text:
            note(Saved(f"{name}_size", "size_t", f"{name}.size()", "", shape_only=True))
    for name in [*tensors, *result_names]:
        for fact, (cpp, fill) in _SHAPE_FACTS.items():
            pattern = rf"\b{name}\.{fact}\(\)"
            if re.search(pattern, text):
                source = name
                if name in result_names:
                    raise ValueError(f"{op.schema.full_name}: shape facts of results are not saved: {text}")
                optional = next(a for a in op.schema.arguments if a.name == name).type.optional
                source = f"value_or_undefined({name})" if optional else name
                note(Saved(f"{name}_{fact}", cpp, fill.format(source), "", shape_only=True))
                text = re.sub(pattern, f"{name}_{fact}_", text)
    words = set(re.findall(r"(?<![\w.:])[A-Za-z_]\w*", text))
    for a in op.schema.arguments:
        if a.name not in words or a.out:
            continue
        note(_save_argument(a))
    for name, i in result_names.items():
        if name in words and name not in {a.name for a in op.schema.arguments}:
            source = "result_" if i is None else f"std::get<{i}>(result_)"
            note(
                Saved(
                    name,
                    "SavedVariable",
                    f"SavedVariable({source}, true)",
                    f"auto {name} = {name}_.unpack(this);",
                    is_output=True,
                )
            )
    return text


def _save_argument(a: Argument) -> Saved:
    n, t = a.name, a.type
    if t.is_tensor:
        source = f"value_or_undefined({n})" if t.optional else n
        return Saved(n, "SavedVariable", f"SavedVariable({source}, false)", f"auto {n} = {n}_.unpack(this);")
    if t.is_tensor_like:
        return Saved(
            n, "std::vector<SavedVariable>", f"make_saved_variable_list({n}, false)", f"auto {n} = unpack_list({n}_, this);"
        )
    cpp = argument_type(t)
    if t.is_list and not cpp.startswith("::std::array"):
        element = TYPES[t.base].value
        if t.optional:
            return Saved(n, f"std::optional<std::vector<{element}>>",
                         f"{n} ? std::make_optional({n}->vec()) : std::nullopt",
                         f"auto {n} = {n}_ ? std::optional<ArrayRef<{element}>>(*{n}_) : std::nullopt;")  # fmt: skip
        return Saved(n, f"std::vector<{element}>", f"{n}.vec()", f"ArrayRef<{element}> {n} = {n}_;")
    if t.base == "str":
        if t.optional:
            return Saved(n, "std::optional<std::string>", f"{n} ? std::make_optional(std::string(*{n})) : std::nullopt",
                         f"auto {n} = {n}_ ? std::optional<std::string_view>(*{n}_) : std::nullopt;")  # fmt: skip
        return Saved(n, "std::string", f"std::string({n})", f"std::string_view {n} = {n}_;")
    plain = cpp.removeprefix("const ").removesuffix("&")
    return Saved(n, plain, n, f"auto& {n} = {n}_;")
