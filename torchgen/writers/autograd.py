"""Autograd nodes and the kernels that record them (Autograd_*.cpp).

Each node stands next to the kernel that makes it. A kernel runs only when an argument may require grad:
see Note [Grad mode is an exclusion] in c10/core/impl/LocalDispatchKeySet.h.
"""

from __future__ import annotations

import re

from torchgen.derivatives import Node, Saved, build_node
from torchgen.formulas import FormulaFunctions
from torchgen.model import Operator
from torchgen.schema import Argument
from torchgen.types_cpp import parameters, return_type
from torchgen.writers import native
from torchgen.writers.ops import BANNER, has_autograd


def node_source(node: Node, place: str) -> str:
    n = node.name
    lines = [f"struct {n} final : Node {{", f"  {n}() : Node({_edge_count(node)}) {{}}",
             f'  const char* name() const override {{ return "{n}"; }}',
             "  variable_list apply(variable_list&& grads) override;",
             "  void release_variables() override {"]  # fmt: skip
    tensors = [s for s in node.saved if "SavedVariable" in s.cpp]
    for s in tensors:
        if s.cpp.startswith("std::vector"):
            lines.append(f"    for (auto& v : {s.field}_) v.reset_data();")
        else:
            lines.append(f"    {s.field}_.reset_data();")
    lines.append("  }")
    if any(not s.cpp.startswith("std::vector") for s in tensors):
        lines.append(
            "  void visit_saved(void (*visit)(void*, const char*, const SavedVariable&), void* context) const override {"
        )
        for s in tensors:
            if not s.cpp.startswith("std::vector"):
                lines.append(f'    visit(context, "{s.field}", {s.field}_);')
        lines.append("  }")
    for s in node.saved:
        lines.append(f"  {s.cpp} {s.field}_{_initial(s)};")
    lines.append("};\n")
    lines.append(f"variable_list {n}::apply(variable_list&& grads) {{")
    lines += ["  " + line for line in _apply_body(node, place)]
    lines.append("}\n")
    return "\n".join(lines)


def _initial(s: Saved) -> str:
    if s.cpp in ("Device",):
        return "{kCPU}"
    return "{}" if s.cpp in ("int64_t", "double", "bool", "ScalarType", "size_t", "MemoryFormat", "Layout") else ""


def _edge_count(node: Node) -> int:
    return len(node.differentiable)


def _has_list(node: Node) -> bool:
    return any(a.type.is_list for a in node.differentiable)


def _apply_body(node: Node, place: str) -> list[str]:
    # The compiler shows the line of an error: it ends in the place of the formula. Not by #line, which would change, and
    # compile again, all later entries of a yaml file when one above them grows.
    place = f"  // {place}"
    lines = []
    if not _has_list(node):
        lines.append(f"variable_list grad_inputs({len(node.differentiable)});")
    else:
        # The edges of a list stand in a row: ranges tell where each argument's begin.
        lines.append("variable_list grad_inputs(num_outputs());")
    lines.append("if (!any_defined(grads)) return grad_inputs;")
    lines.append("[[maybe_unused]] const Tensor& grad = grads[0];")
    for s in node.saved:
        if s.local:
            lines.append(s.local)
    names = [a.name for a in node.differentiable]
    if _has_list(node):
        count = "num_outputs()" if len(names) == 1 else f"num_outputs() - {len(names) - 1}"
        at = "0"
        for a in node.differentiable:
            lines.append(f"const size_t {a.name}_at = {at};")
            at = f"{a.name}_at + " + (count if a.type.is_list else "1")
    index = {a.name: (f"{a.name}_at" if _has_list(node) else str(i)) for i, a in enumerate(node.differentiable)}
    kinds = {a.name: a for a in node.differentiable}
    for f in node.formulas:
        if len(f.inputs) == 1:
            name = f.inputs[0]
            if kinds[name].type.is_list:
                lines.append(
                    f"if (task_should_compute_any({index[name]}, num_outputs())) put_list(grad_inputs, {index[name]}, {f.text});{place}"
                )
            else:
                lines.append(f"if (task_should_compute_output({index[name]})) grad_inputs[{index[name]}] = {f.text};{place}")
        else:
            mask = ", ".join(f"task_should_compute_output({index[i]})" for i in f.inputs)
            lines.append("{")
            lines.append(f"  [[maybe_unused]] std::array<bool, {len(f.inputs)}> grad_input_mask{{{{{mask}}}}};")
            any_of = " || ".join(f"task_should_compute_output({index[i]})" for i in f.inputs)
            lines.append(f"  if ({any_of}) {{")
            lines.append(f"    auto computed = {f.text};{place}")
            for k, i in enumerate(f.inputs):
                lines.append(
                    f"    if (task_should_compute_output({index[i]})) grad_inputs[{index[i]}] = std::move(std::get<{k}>(computed));"
                )
            lines += ["  }", "}"]
    lines.append("return grad_inputs;")
    return lines


def kernel_source(op: Operator, node: Node | None) -> str:
    s = op.schema
    rt = return_type(s)
    ps = parameters(s.arguments)
    names = ", ".join(a.name for a in s.arguments)
    lines = [f"{rt} {s.cpp_name}(DispatchKeySet keys{', ' if ps else ''}{ps}) {{"]
    if op.form == "out":
        lines += _out_body(op, names, rt)
    elif node is None:
        lines += _no_formula_body(op, names, rt)
    elif op.form == "inplace" or op.mutates:
        lines += _inplace_body(op, node, names)
    else:
        lines += _functional_body(op, node, names)
    lines.append("}\n")
    return "\n".join(lines)


def _redispatch(op: Operator, names: str) -> str:
    return f"at::_ops::{op.schema.cpp_name}::redispatch(keys & after_autograd_keyset{', ' if names else ''}{names})"


def _requires(args: list[Argument]) -> str:
    return f"compute_requires_grad({', '.join(a.name for a in args)})"


def _out_body(op: Operator, names: str, rt: str) -> list[str]:
    # Without a gradient only what is written to counts: torch.eq(x, y, out=mask).
    among = op.schema.arguments if op.entry.differentiable else op.schema.out_arguments
    tensors = [a for a in among if a.type.is_tensor_like]
    return [f"  if ({_requires(tensors)}) throw_error_out_requires_grad(\"{op.schema.name}\");",
            "  BelowAutograd guard;", f"  return {_redispatch(op, names)};"]  # fmt: skip


def _no_formula_body(op: Operator, names: str, rt: str) -> list[str]:
    """An operator that changes its argument and has no formula: fine for tensors that need none."""
    tensors = [a for a in op.schema.arguments if a.type.is_tensor_like]
    first = op.mutates[0].name if op.mutates else tensors[0].name
    if op.entry.composite_implicit and op.form == "inplace":
        lines = [f'  check_inplace({first}, "{op.schema.name}", {_requires(tensors)});']
        if native.is_generated(op):
            # The operators that compute the result may save self: they are given a copy.
            lines += [f"  if ({_requires(tensors)}) {{", f"    Tensor original = clone_for_inplace({first});"]
            lines += ["    " + line for line in native.inplace_by_copy(op, "original")] + ["  }"]
        return [*lines, f"  return {_redispatch(op, names)};"]
    lines = [f"  bool needs_grad = {_requires(tensors)};"]
    if op.entry.differentiable:
        lines.append(f'  if (needs_grad) throw_error_not_differentiable("{op.schema.name}");')
    else:
        lines.append(f'  if (needs_grad) {{ check_inplace({first}, "{op.schema.name}"); }}')
    lines.append(
        f"  {'auto&& result_ = ' if rt != 'void' else ''}[&]() -> decltype(auto) {{ BelowAutograd guard; return {_redispatch(op, names)}; }}();"
    )
    if not op.entry.differentiable and op.mutates and op.mutates[0].type.is_tensor:
        lines.append(f"  if (needs_grad) set_constant_history({first});")
    if rt != "void":
        lines.append("  return result_;" if rt.endswith("&") else "  return std::move(result_);")
    return lines


def _fill(node: Node, outputs: bool, originals: dict[str, str]) -> list[str]:
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
            # Not should_compute_output: a backward that runs now has a mask of its own.
            condition = " || ".join(f"node->next_edge({i}).is_valid()" for i in inputs)
            statement = f"if ({condition}) {statement}"
        lines.append("    " + statement)
    return lines


def _prologue(node: Node, originals: dict[str, str], prepare: list[str]) -> list[str]:
    lines = [f"  intrusive_ptr<{node.name}> node;", f"  if ({_requires(node.differentiable)}) {{"]
    lines.append(f"    node = make_node<{node.name}>();")
    lines.append(f"    node->collect_next_edges({', '.join(a.name for a in node.differentiable)});")
    lines += prepare
    lines += _fill(node, False, originals)
    lines.append("  }")
    return lines


def _functional_body(op: Operator, node: Node, names: str) -> list[str]:
    lines = _prologue(node, {}, [])
    lines.append(f"  auto result_ = [&] {{ BelowAutograd guard; return {_redispatch(op, names)}; }}();")
    outs = _differentiable_results(op)
    lines.append("  if (node) {")
    if not op.is_view:
        lines.append(f"    check_no_view({outs});")
    lines.append(f"    set_history({outs}, node);")
    lines += _fill(node, True, {})
    lines.append("  }")
    lines.append("  return result_;")
    return lines


def _differentiable_results(op: Operator) -> str:
    rets = op.schema.returns
    if len(rets) == 1:
        return "result_"
    wanted = op.entry.output_differentiability or (True,) * len(rets)
    places = [i for i, r in enumerate(rets) if r.type.is_tensor and wanted[i]]
    return "ResultList{" + ", ".join(f"&std::get<{i}>(result_)" for i in places) + "}"


def _inplace_body(op: Operator, node: Node, names: str) -> list[str]:
    me = op.mutates[0].name
    uses_self = any(re.search(rf"\b{me}\b", s.fill) and "SavedVariable" in s.cpp and not s.is_output for s in node.saved)
    prepare, originals = [], {}
    if uses_self:
        # The formula wants the value from before the change.
        prepare.append(f"    Tensor original = clone_for_inplace({me});")
        originals[me] = "original"
    lines = [f'  check_inplace({me}, "{op.schema.name}", {_requires(node.differentiable)});']
    lines += _prologue(node, {}, [])[:-1] if not uses_self else _prologue(node, originals, prepare)[:-1]
    lines.append("  }")
    lines.append(f"  {{ BelowAutograd guard; {_redispatch(op, names)}; }}")
    lines.append("  if (node) {")
    lines.append(f"    {'rebase_reshaped' if op.entry.reshapes else 'rebase_history'}({me}, node);")
    lines += [line.replace("result_,", f"{me},") for line in _fill(node, True, {})]
    lines.append("  }")
    lines.append(f"  return {me};")
    return lines


def functions_used(ops: list[Operator], known: set[str]) -> set[str]:
    """The operators that the formulas call, whose headers the file includes."""
    used = set()
    for op in ops:
        for text in op.entry.derivatives.values():
            used |= {w for w in re.findall(r"\b([A-Za-z_]\w*)\s*\(", text) if w in known}
    return used


def autograd_source(ops: list[Operator], known: set[str], functions: FormulaFunctions) -> str:
    lines = [BANNER, "#include <torch/csrc/autograd/VariableTypeUtils.h>", "#include <torch/csrc/autograd/FunctionsManual.h>",
             "#include <ATen/TensorOperators.h>", "#include <ATen/native/common/OutputChecks.h>"]  # fmt: skip
    lines += [f"#include <{header}>" for header in functions.headers_of([op.entry for op in ops])]
    bases = sorted({op.entry.base for op in ops})
    lines += [f"#include <ATen/ops/{b}_ops.h>" for b in bases]
    lines += [f"#include <ATen/ops/{b}.h>" for b in sorted(functions_used(ops, known))]
    lines += ["\nnamespace torch::autograd {", "namespace {", "using namespace at;", "using namespace generated;\n"]
    kernels, written = [], set()
    for op in ops:
        if not has_autograd(op):
            continue
        node = build_node(op) if op.form != "out" else None
        if node and op.form == "inplace":
            # The functional form's node serves: it differs only in what stands for the result.
            pass
        if node and node.name not in written:
            written.add(node.name)
            lines.append(node_source(node, f"{op.entry.file}, {op.entry.schema.full_name}"))
        kernels.append(kernel_source(op, node))
    lines += ["}  // namespace\n", "namespace VariableType {", "using namespace at;\n"]
    lines += kernels
    lines += ["}  // namespace VariableType", "}  // namespace torch::autograd"]
    return "\n".join(lines) + "\n"
