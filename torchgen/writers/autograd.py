"""Autograd nodes and the kernels that record them: the first part of an Ops_*.cpp.

Each node is next to the kernel that creates it. A kernel runs only when an argument may require grad:
see Note [Grad mode is an exclusion] in c10/core/impl/LocalDispatchKeySet.h.
"""

from __future__ import annotations

import re

from torchgen.derivatives import Node, Saved, build_node
from torchgen.formulas import FormulaFunctions
from torchgen.model import Operator
from torchgen.schema import Argument
from torchgen.template import fill
from torchgen.types_cpp import parameters, return_type
from torchgen.writers import native
from torchgen.writers.ops import has_autograd

TEMPLATES = "autograd.cpp.in"


def node_source(node: Node, place: str) -> str:
    tensors = [s for s in node.saved if "SavedVariable" in s.cpp]
    lists = [s for s in tensors if s.cpp.startswith("std::vector")]
    visits = [f'visit(context, "{s.field}", {s.field}_);' for s in tensors if s not in lists]
    release = [f"for (auto& v : {s.field}_) v.reset_data();" if s in lists else f"{s.field}_.reset_data();" for s in tensors]
    text = fill(
        TEMPLATES,
        "node",
        node=node.name,
        edges=str(len(node.differentiable)),
        release=release,
        visit=fill(TEMPLATES, "visit_saved", visits=visits) if visits else "",
        fields=[f"{s.cpp} {s.field}_{_initial(s)};" for s in node.saved],
        # The edges of a list are consecutive; ranges say where those of each argument begin.
        size="num_outputs()" if _has_list(node) else str(len(node.differentiable)),
        locals=[*(s.local for s in node.saved if s.local), *_ranges(node)],
        formulas=_formulas(node, place),
    )
    return text + "\n"


def _initial(s: Saved) -> str:
    if s.cpp in ("Device",):
        return "{kCPU}"
    return "{}" if s.cpp in ("int64_t", "double", "bool", "ScalarType", "size_t", "MemoryFormat", "Layout") else ""


def _has_list(node: Node) -> bool:
    return any(a.type.is_list for a in node.differentiable)


def _ranges(node: Node) -> list[str]:
    """The index at which the gradients of each argument begin, if one of them is a list."""
    if not _has_list(node):
        return []
    names = [a.name for a in node.differentiable]
    count = "num_outputs()" if len(names) == 1 else f"num_outputs() - {len(names) - 1}"
    lines, begin = [], "0"
    for a in node.differentiable:
        lines.append(f"const size_t {a.name}_at = {begin};")
        begin = f"{a.name}_at + " + (count if a.type.is_list else "1")
    return lines


def _is_needed(node: Node, argument: Argument, begin: str) -> str:
    """Whether a gradient of the argument, which may be a list, is asked for."""
    if not argument.type.is_list:
        return f"task_should_compute_output({begin})"
    behind = node.differentiable[node.differentiable.index(argument) + 1 :]
    return f"task_should_compute_any({begin}, {f'{behind[0].name}_at' if behind else 'num_outputs()'})"


def _formulas(node: Node, place: str) -> list[str]:
    # When the compiler reports an error, it shows this line, which ends in the location of the formula. #line would change, and
    # compile again, all later entries of a yaml file when one above them grows.
    place = f"  // {place}"
    index = {a.name: (f"{a.name}_at" if _has_list(node) else str(i)) for i, a in enumerate(node.differentiable)}
    kinds = {a.name: a for a in node.differentiable}
    lines = []
    for f in node.formulas:
        if len(f.inputs) == 1:
            name = f.inputs[0]
            template = "list_formula" if kinds[name].type.is_list else "formula"
            lines.append(fill(TEMPLATES, template, index=index[name], formula=f.text, place=place))
            continue
        needed = [_is_needed(node, kinds[i], index[i]) for i in f.inputs]
        gradients = [
            f"if ({condition}) put_list(grad_inputs, {index[i]}, std::move(std::get<{k}>(computed)));"
            if kinds[i].type.is_list
            else f"if ({condition}) grad_inputs[{index[i]}] = std::move(std::get<{k}>(computed));"
            for k, (i, condition) in enumerate(zip(f.inputs, needed))
        ]
        lines.append(
            fill(
                TEMPLATES,
                "joint_formula",
                count=str(len(needed)),
                mask=", ".join(needed),
                any=" || ".join(needed),
                formula=f.text,
                place=place,
                gradients=gradients,
            )
        )
    return lines


def kernel_source(op: Operator, node: Node | None) -> str:
    s = op.schema
    rt = return_type(s)
    ps = parameters(s.arguments)
    names = ", ".join(a.name for a in s.arguments)
    if op.form == "out":
        body = _out_body(op, names)
    elif node is None:
        body = "\n".join(_no_formula_body(op, names, rt))
    elif op.form == "inplace" or op.mutates:
        body = _inplace_body(op, node, names)
    else:
        body = _functional_body(op, node, names)
    comma = ", " if ps else ""
    return fill(TEMPLATES, "kernel", result=rt, name=s.cpp_name, comma=comma, parameters=ps, body=body) + "\n"


def _redispatch(op: Operator, names: str) -> str:
    return f"at::_ops::{op.schema.cpp_name}::redispatch(keys & after_autograd_keyset{', ' if names else ''}{names})"


def _requires(args: list[Argument]) -> str:
    return f"compute_requires_grad({', '.join(a.name for a in args)})"


def _out_body(op: Operator, names: str) -> str:
    # Without a gradient, only arguments that are written to matter: torch.eq(x, y, out=mask).
    among = op.schema.arguments if op.entry.differentiable else op.schema.out_arguments
    tensors = [a for a in among if a.type.is_tensor_like]
    return fill(TEMPLATES, "out_body", requires_grad=_requires(tensors), base=op.schema.name, redispatch=_redispatch(op, names))


def _no_formula_body(op: Operator, names: str, rt: str) -> list[str]:
    """An operator that changes its argument and has no formula: allowed for tensors that need no gradient."""
    tensors = [a for a in op.schema.arguments if a.type.is_tensor_like]
    first = op.mutates[0].name if op.mutates else tensors[0].name
    if op.entry.composite_implicit and op.form == "inplace":
        lines = [f'check_inplace({first}, "{op.schema.name}", {_requires(tensors)});']
        if native.is_generated(op):
            # The operators that compute the result may save self, so they receive a copy.
            lines += [f"if ({_requires(tensors)}) {{", f"  Tensor original = clone_for_inplace({first});"]
            lines += ["  " + line for line in native.inplace_by_copy(op, "original")] + ["}"]
        return [*lines, f"return {_redispatch(op, names)};"]
    lines = [f"bool needs_grad = {_requires(tensors)};"]
    if op.entry.differentiable:
        lines.append(f'if (needs_grad) throw_error_not_differentiable("{op.schema.name}");')
    else:
        lines.append(f'if (needs_grad) {{ check_inplace({first}, "{op.schema.name}"); }}')
    lines.append(
        f"{'auto&& result_ = ' if rt != 'void' else ''}[&]() -> decltype(auto) {{ BelowAutograd guard; return {_redispatch(op, names)}; }}();"
    )
    if not op.entry.differentiable and op.mutates and op.mutates[0].type.is_tensor:
        lines.append(f"if (needs_grad) set_constant_history({first});")
    if rt != "void":
        lines.append("return result_;" if rt.endswith("&") else "return std::move(result_);")
    return lines


def _save(node: Node, outputs: bool, originals: dict[str, str]) -> list[str]:
    lines = []
    all_formulas = set(range(len(node.formulas)))
    index = {a.name: i for i, a in enumerate(node.differentiable)}
    for s in node.saved:
        if s.is_output != outputs:
            continue
        fill = s.fill
        for name, replacement in originals.items():
            fill = re.sub(rf"\b{name}\b", replacement, fill)
        statement = f"node->{s.field}_ = {fill};"
        if "SavedVariable" in s.cpp and s.uses != all_formulas and not any(a.type.is_list for a in node.differentiable):
            inputs = sorted({index[i] for f in s.uses for i in node.formulas[f].inputs})
            # Not should_compute_output: a backward pass in progress has its own mask.
            condition = " || ".join(f"node->next_edge({i}).is_valid()" for i in inputs)
            statement = f"if ({condition}) {statement}"
        lines.append(statement)
    return lines


def _record(node: Node, originals: dict[str, str], prepare: str) -> str:
    """The part that creates the node if an argument requires grad."""
    return fill(
        TEMPLATES,
        "record",
        node=node.name,
        requires_grad=_requires(node.differentiable),
        inputs=", ".join(a.name for a in node.differentiable),
        prepare=prepare,
        save=_save(node, False, originals),
    )


def _functional_body(op: Operator, node: Node, names: str) -> str:
    results = _differentiable_results(op)
    return fill(
        TEMPLATES,
        "functional_body",
        record=_record(node, {}, ""),
        redispatch=_redispatch(op, names),
        check_no_view="" if op.is_view else f"check_no_view({results});",
        results=results,
        save_results=_save(node, True, {}),
    )


def _differentiable_results(op: Operator) -> str:
    rets = op.schema.returns
    if len(rets) == 1:
        return "result_"
    differentiable = op.entry.output_differentiability or (True,) * len(rets)
    places = [i for i, r in enumerate(rets) if r.type.is_tensor and differentiable[i]]
    return "ResultList{" + ", ".join(f"&std::get<{i}>(result_)" for i in places) + "}"


def _inplace_body(op: Operator, node: Node, names: str) -> str:
    me = op.mutates[0].name
    uses_self = any(re.search(rf"\b{me}\b", s.fill) and "SavedVariable" in s.cpp and not s.is_output for s in node.saved)
    # The formula uses the value from before the change.
    prepare = f"Tensor original = clone_for_inplace({me});" if uses_self else ""
    return fill(
        TEMPLATES,
        "inplace_body",
        self=me,
        base=op.schema.name,
        requires_grad=_requires(node.differentiable),
        record=_record(node, {me: "original"} if uses_self else {}, prepare),
        redispatch=_redispatch(op, names),
        rebase="rebase_reshaped" if op.entry.reshapes else "rebase_history",
        save_results=[line.replace("result_,", f"{me},") for line in _save(node, True, {})],
    )


def functions_used(ops: list[Operator], known: set[str]) -> set[str]:
    """The operators that the formulas call, whose headers the file includes."""
    used = set()
    for op in ops:
        for text in op.entry.derivatives.values():
            used |= {w for w in re.findall(r"\b([A-Za-z_]\w*)\s*\(", text) if w in known}
    return used


def autograd_headers(ops: list[Operator], known: set[str], functions: FormulaFunctions) -> list[str]:
    """The headers that the kernels and the formulas of these operators need, besides the operators' own."""
    if not any(has_autograd(op) for op in ops):
        return []
    return [
        "torch/csrc/autograd/VariableTypeUtils.h",
        "torch/csrc/autograd/FunctionsManual.h",
        "ATen/TensorOperators.h",
        *functions.headers_of([op.entry for op in ops]),
        *(f"ATen/ops/{b}.h" for b in sorted(functions_used(ops, known))),
    ]


def autograd_source(ops: list[Operator]) -> str:
    """The nodes and kernels of these operators; empty if none of them records anything."""
    nodes: dict[str, str] = {}
    kernels = []
    for op in ops:
        if not has_autograd(op):
            continue
        # The in-place form uses the node of the functional one; only the name of the result differs.
        node = build_node(op) if op.form != "out" else None
        if node and node.name not in nodes:
            nodes[node.name] = node_source(node, f"{op.entry.file}, {op.entry.schema.full_name}")
        kernels.append(kernel_source(op, node))
    return fill(TEMPLATES, "file", nodes=list(nodes.values()), kernels=kernels) + "\n" if kernels else ""
