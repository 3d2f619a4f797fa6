"""Registry entries, call functions, kernel columns (Ops_*.cpp) and the headers under ATen/ops/."""

from __future__ import annotations

from torchgen.backends import BACKENDS, HOME
from torchgen.model import Entry, Operator
from torchgen.types_cpp import argument_type, parameters, return_type, signature
from torchgen.writers import native

BANNER = "// Written by torchgen from native_functions.yaml.\n"
# The slots of a kernel table in their order: at::KernelSlots.
SLOTS = ("Undefined", *BACKENDS, "Autograd")


def has_autograd(op: Operator) -> bool:
    """Whether calls with tensors that require grad go through a kernel of Autograd_*.cpp."""
    e = op.entry
    if e.forwards or (e.composite_implicit and op.form == "functional"):
        return False
    if op.form == "out":
        return any(a.type.is_tensor_like for a in op.schema.arguments)
    if op.form == "inplace" and e.composite_implicit:
        return True
    return bool(e.derivatives) or (op.form == "inplace" or bool(op.mutates))


def slots(op: Operator) -> dict[str, str]:
    """Slot of the entry's kernel table -> C++ expression of the kernel. See Note [Kernel tables] in OperatorEntry.h."""
    e, found = op.entry, {}
    wrapper = f"&wrapper_{op.schema.cpp_name}"
    composite = e.composite_implicit or "CompositeExplicitAutograd" in e.dispatch
    generated = native.is_generated(op) and op.form != "functional"
    if composite:
        found |= dict.fromkeys(("Undefined", *HOME), wrapper)
    elif e.structured or generated or native.is_stub_in_place(e):
        found["Meta"] = wrapper
    for key in e.dispatch:
        if key in HOME:
            shared = e.structured or generated or len(native.kernels(e)) == 1
            found[key] = wrapper if shared else f"{wrapper}_{key}"
    if has_autograd(op):
        found["Autograd"] = f"&torch::autograd::VariableType::{op.schema.cpp_name}"
    return found


def ops_header(entry: Entry, ops: list[Operator]) -> str:
    lines = [BANNER, "#pragma once\n", "#include <ATen/core/dispatch/OperatorEntry.h>", "#include <ATen/core/Tensor.h>\n",
             "#include <tuple>", "#include <vector>\n", "namespace at::_ops {\n"]  # fmt: skip
    for op in ops:
        s = op.schema
        ps = parameters(s.arguments)
        lines += [f"// {s}", f"struct {s.cpp_name} {{", f"  using schema = {signature(s)};", "  static OperatorEntry entry;",
                  f"  static {return_type(s)} call({ps});",
                  f"  static {return_type(s)} redispatch(DispatchKeySet keys{', ' if ps else ''}{ps});", "};\n"]  # fmt: skip
    lines.append("}  // namespace at::_ops")
    return "\n".join(lines) + "\n"


def dims_overloads(ops: list[Operator]):
    """(operator, its parameters after self, the name of the one) where x.sum(0) and x.sum({0, 1}) are to be possible.

    A parameter of type std::optional<IntArrayRef> takes an int as well, but would refer to an int64_t that is gone;
    and it takes no list in braces."""

    def types(op):
        return [argument_type(a.type) for a in op.schema.arguments]

    taken = {(op.schema.name, *types(op)) for op in ops}
    flags = {op.schema.name for op in ops if types(op)[1:2] == ["bool"]}  # x.var(1) is x.var(/*unbiased=*/true)
    for op in ops:
        s = op.schema
        if len(s.arguments) < 2 or s.arguments[0].name != self_name(op):
            continue
        one = s.arguments[1]
        if not (one.type.is_list and one.type.optional and one.type.list_size == 1 and one.type.base in ("int", "SymInt")):
            continue
        for kind in ("int64_t", "::std::initializer_list<int64_t>"):
            if (s.name, types(op)[0], kind, *types(op)[2:]) in taken:
                continue
            # What is left out has to be the same for all overloads: theirs that have a flag have to be told.
            bare = s.name in flags and (kind == "int64_t" or types(op)[2:3] == ["bool"])
            rest = [parameters(s.arguments[2:3], not bare), parameters(s.arguments[3:], True)]
            yield op, ", ".join([f"{kind} {one.name}", *filter(None, rest)]), one.name


def function_header(ops: list[Operator], include: str) -> str:
    """ATen/ops/NAME.h: at::NAME, for all overloads and forms."""
    lines = [BANNER, "#pragma once\n", f"#include <ATen/ops/{include}_ops.h>\n", "namespace at {\n"]
    seen = set()
    for op in ops:
        if op.form == "inplace" and "inplace_function" not in op.entry.variants:
            continue
        for text in _functions(op):
            key = text.split("{")[0]
            if key not in seen:
                seen.add(key)
                lines.append(text)
    for op, rest, one in dims_overloads([op for op in ops if op.form == "functional"]):
        s = op.schema
        values = ", ".join(f"IntArrayRef({one})" if a.name == one else a.name for a in s.arguments)
        lines.append(f"inline {return_type(s)} {s.name}(const Tensor& {self_name(op)}, {rest}) {{\n"
                     f"  return at::_ops::{s.cpp_name}::call({values});\n}}")  # fmt: skip
    lines.append("}  // namespace at")
    return "\n".join(lines) + "\n"


def _functions(op: Operator):
    s = op.schema
    rt = return_type(s)
    names = ", ".join(a.name for a in s.arguments)
    if op.form == "out":
        outs, inputs = s.out_arguments, s.inputs
        ps = ", ".join(f"{argument_type(a.type)} {a.name}" for a in outs)
        rest = parameters(inputs, defaults=True)
        yield (f"inline {rt} {s.name}_out({ps}{', ' if rest else ''}{rest}) {{\n"
               f"  return at::_ops::{s.cpp_name}::call({names});\n}}")  # fmt: skip
        return
    if op.takes_options:
        before = []
        for a in s.arguments:
            if a.name not in native.OPTION_NAMES:
                before.append(a)
        # By place before the options, by keyword after them, unless it has to be given.
        head = parameters([a for a in before if not a.kwarg_only or a.default is None], True, op.entry.no_default_args)
        tail = parameters([a for a in before if a.kwarg_only and a.default is not None], defaults=True)
        dtype = next(a for a in s.arguments if a.name == "dtype").default
        default = "{}" if dtype in (None, "None") else "kLong"  # randperm and the like
        ps = ", ".join(p for p in (head, f"TensorOptions options = {default}", tail) if p)
        opt = {"dtype": "options.dtype_opt()", "layout": "options.layout_opt()", "device": "options.device_opt()",
               "pin_memory": "options.pinned_memory_opt()"}  # fmt: skip
        call = ", ".join(opt.get(a.name, a.name) for a in s.arguments)
        grad = "  if (options.requires_grad()) result.set_requires_grad(true);\n"
        yield (f"inline {rt} {s.name}({ps}) {{\n"
               f"  Tensor result = at::_ops::{s.cpp_name}::call({call});\n"
               f"{'' if op.is_view or op.entry.derivatives else grad}"  # these may give a tensor that is no leaf
               "  return result;\n}")  # fmt: skip
        yield (f"inline {rt} {s.name}({parameters(s.arguments)}) {{\n"
               f"  return at::_ops::{s.cpp_name}::call({names});\n}}")  # fmt: skip
        return
    yield (f"inline {rt} {s.name}({parameters(s.arguments, True, op.entry.no_default_args)}) {{\n"
           f"  return at::_ops::{s.cpp_name}::call({names});\n}}")  # fmt: skip


def native_header(entries: list[tuple[Entry, list[Operator]]]) -> str:
    lines = [BANNER, "#pragma once\n", "#include <ATen/core/Tensor.h>", "#include <ATen/native/common/DispatchStub.h>\n",
             "#include <tuple>", "#include <vector>\n",
             "namespace at {", "class MetaBase;", "class TensorIteratorBase;"]  # fmt: skip
    for entry, ops in entries:
        lines += native.declarations(entry, ops)
    lines.append("}  // namespace at")
    return "\n".join(dict.fromkeys(lines)) + "\n"


def wrapper(op: Operator, name: str, function: str) -> str:
    """What a slot of the kernel table points to: the kernel, between the checks and the bookkeeping that every kernel needs."""
    s = op.schema
    rt, ps = return_type(s), parameters(s.arguments)
    call = f"at::native::{function}({', '.join(a.name for a in s.arguments)})"
    writes = not op.entry.forwards and (not op.entry.composite_implicit or op.form != "functional")
    guard = "".join(_guards(op)) if writes else ""
    bump = "".join(_bumps(op)) if writes else ""
    settled = "".join(_settled(op, kernel=not op.entry.composite_implicit))
    if settled:
        inner = f"{guard}  auto result_ = {call};\n{bump}{settled}  return result_;\n"
    elif bump and rt != "void":
        inner = f"{guard}  {'auto&&' if rt.endswith('&') else 'auto'} result_ = {call};\n{bump}  return result_;\n"
    elif bump:
        inner = f"{guard}  {call};\n{bump}"
    else:
        inner = f"  return {call};\n"
    return f"{rt} {name}(DispatchKeySet{', ' if ps else ''}{ps}) {{\n{inner}}}"


def operator_source(op: Operator) -> str:
    """One operator's part of an Ops_*.cpp."""
    s = op.schema
    rt, ps = return_type(s), parameters(s.arguments)
    names = ", ".join(a.name for a in s.arguments)
    comma = ", " if ps else ""
    out = []
    if native.is_generated(op):
        out.append("namespace at::native {\n" + native.body(op) + "}  // namespace at::native\n")
    cols = slots(op)
    out.append("namespace at {\nnamespace {")
    prefix = f"&wrapper_{s.cpp_name}"
    for w in sorted({c for c in cols.values() if c.startswith(prefix)}):
        key = w[len(prefix) + 1 :] or next(iter(op.entry.dispatch))
        out.append(wrapper(op, w[1:], native.function_to_call(op, key)))
    out.append("}  // namespace")
    if has_autograd(op):
        out.append(
            f"}}\nnamespace torch::autograd::VariableType {{\nusing namespace at;\n{rt} {s.cpp_name}(DispatchKeySet keys{comma}{ps});\n}}\nnamespace at {{"
        )
    o = f"_ops::{s.cpp_name}"
    out.append(sources(op, cols))
    kernels = ", ".join(f".{slot} = reinterpret_cast<void*>({cols[slot]})" for slot in SLOTS if slot in cols)
    considered = "kAutogradConsidered" if has_autograd(op) else "kBackendsConsidered"
    out.append(
        f'OperatorEntry {o}::entry = {{\n    "{s.namespace}::{s.name}", "{s.overload}",\n    "{_escape(str(s))}",\n'
        f"    &impl::BoxedAdapter<{o}::schema>::call, &impl::BoxedAdapter<{o}::schema>::dispatch,\n"
        f"    reinterpret_cast<void*>(&{o}::call), {considered}, 0,\n    {{{{{kernels}}}}},\n    nullptr, nullptr, sources_{s.cpp_name}}};"
    )
    device = next((a.name for a in s.arguments if a.name == "device" and a.type.base == "Device"), None)
    target = "call_on" if device else "call"
    if device:
        opt = device if any(a.name == "device" and a.type.optional for a in s.arguments) else f"::std::optional<Device>({device})"
        args = f"entry, {opt}, {names}"
    else:
        args = f"entry{comma}{names}"
    out.append(f"{rt} {o}::call({ps}) {{\n  return impl::Call<schema>::{target}({args});\n}}")
    out.append(f"{rt} {o}::redispatch(DispatchKeySet keys{comma}{ps}) {{\n"
               f"  return impl::Call<schema>::redispatch(entry, keys{comma}{names});\n}}")  # fmt: skip
    out.append("}  // namespace at\n")
    return "\n".join(out)


def sources(op: Operator, cols: dict[str, str]) -> str:
    """The KernelSource list of an operator: the at::native functions behind its wrappers, and their kernels."""
    s, e, rows = op.schema, op.entry, []
    for slot, wrapper in cols.items():
        if not wrapper.startswith("&wrapper"):
            continue
        key = wrapper[len(f"&wrapper_{s.cpp_name}") + 1 :] or next(iter(e.dispatch))
        fn = native.function_to_call(op, key)
        types = ", ".join(argument_type(a.type) for a in s.arguments)
        address = f"reinterpret_cast<void*>(static_cast<{return_type(s)} (*)({types})>(&at::native::{fn}))"
        rows.append(f'    {{DispatchKey::{slot}, "at::native::{fn}", {address}, nullptr}},')
        if slot == "CPU" and native.is_generated(op) and (e.structured or op.form == "functional") and not e.forwards:
            kernel = native.kernels(e)[0]
            if native.is_stub(kernel):
                rows.append(
                    f'    {{DispatchKey::{slot}, "{kernel}", nullptr, [] {{ return reinterpret_cast<void*>(native::{kernel}.cpu()); }}}},'
                )
            else:
                address = f"reinterpret_cast<void*>(static_cast<{native.kernel_pointer(e)}>(&at::native::{kernel}))"
                rows.append(f'    {{DispatchKey::{slot}, "at::native::{kernel}", {address}, nullptr}},')
    return (
        f"const KernelSource sources_{s.cpp_name}[] = {{\n"
        + "\n".join(rows)
        + "\n    {DispatchKey::Undefined, nullptr, nullptr, nullptr}};"
    )


def _settled(op: Operator, kernel: bool):
    """Note [Results that are no views] in ResultChecks.h."""
    e = op.entry
    if op.form != "functional" or op.is_view or e.structured or e.forwards or op.mutates:
        return
    inputs = ", ".join(f"native::Input({a.name})" for a in op.schema.arguments if a.type.is_tensor_like)
    rest = f", {'true' if kernel else 'false'}, {{{inputs}}});\n"
    for i, r in enumerate(op.schema.returns):
        place = "result_" if len(op.schema.returns) == 1 else f"std::get<{i}>(result_)"
        if r.type.is_tensor:
            yield f"  if (C10_UNLIKELY({place}.defined() && {place}.is_view())) native::settle_result({place}{rest}"
        elif r.type.is_tensor_like:
            yield f"  for (Tensor& t : {place}) {{\n    if (C10_UNLIKELY(t.defined() && t.is_view())) native::settle_result(t{rest}  }}\n"


def _guards(op: Operator):
    """Tensors of inference mode are not written to outside of it; outputs are apart from inputs."""
    for a in op.mutates:
        if not a.type.is_list and not a.type.optional:
            yield f"  if (C10_UNLIKELY({a.name}.unsafeGetTensorImpl()->is_inference())) native::check_inference_mode();\n"
    for line in native.apart(op):
        yield f"  {line}\n"


def _bumps(op: Operator):
    for a in op.mutates:
        if a.type.is_list:
            yield f"  for (const Tensor& t : {a.name}) t.unsafeGetTensorImpl()->bump_version();\n"
        elif a.type.optional:
            yield f"  if ({a.name} && {a.name}->defined()) {a.name}->unsafeGetTensorImpl()->bump_version();\n"
        else:
            yield f"  {a.name}.unsafeGetTensorImpl()->bump_version();\n"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _source_head(ops: list[Operator], *headers: str) -> list[str]:
    checks = ("native/common/OutputChecks.h", "native/common/ResultChecks.h")
    lines = [BANNER, *(f"#include <ATen/{header}>" for header in (*headers, *checks, "native/common/TensorIterator.h"))]
    for base in dict.fromkeys(op.entry.base for op in ops):
        lines += [f"#include <ATen/ops/{base}_native.h>", f"#include <ATen/ops/{base}_ops.h>"]
    return lines


CHECKS = "\nnamespace at::native {\nvoid check_inference_mode();  // in ViewUtils.cpp\n}  // namespace at::native\n"


def ops_source(shard: str, ops: list[Operator]) -> str:
    groups = {op.entry.base for op in ops}
    lines = _source_head(ops, "core/boxing.h")
    targets = {o.entry.target.base for o in ops if o.entry.target}
    lines += [f"#include <ATen/ops/{base}_ops.h>" for base in sorted(targets - groups)]
    lines.append('\n// Entries name the slots that they fill.\n#pragma GCC diagnostic ignored "-Wmissing-field-initializers"')
    lines.append(CHECKS)
    lines += [operator_source(op) for op in ops]
    lines += ["namespace at {", f"static OperatorEntry* const operators_{shard}[] = {{"]
    lines += [f"    &_ops::{op.schema.cpp_name}::entry," for op in ops]
    lines += ["};", f"extern const OperatorTable kOperators_{shard} = {{operators_{shard}, {len(ops)}}};", "}  // namespace at"]
    return "\n".join(lines) + "\n"


def registry_source(shards: list[str]) -> str:
    """The tables of all shards; each stands in its Ops_SHARD.cpp."""
    lines = [BANNER, "#include <ATen/core/dispatch/KernelOverrides.h>\n", "namespace at {"]
    lines += [f"extern const OperatorTable kOperators_{shard};" for shard in shards]
    lines += ["const OperatorTable* const kOperatorTables[] = {"]
    lines += [f"    &kOperators_{shard}," for shard in shards]
    lines += ["};", f"const int kNumOperatorTables = {len(shards)};", "}  // namespace at"]
    return "\n".join(lines) + "\n"


def backend_operators(key: str, ops: list[Operator]) -> list[Operator]:
    """Those whose entries name a kernel for this backend."""
    return [op for op in ops if key in op.entry.dispatch and not op.entry.forwards]


def backend_source(key: str, shard: str, ops: list[Operator]) -> str:
    """Kernels_KEY_SHARD.cpp: the kernels of a backend that is a library of its own. See Note [Backend tables]."""
    lines = [*_source_head(ops, "core/dispatch/BackendTable.h"), CHECKS, "namespace at {\nnamespace {"]
    rows = []
    for op in ops:
        name = f"wrapper_{op.schema.cpp_name}"
        lines.append(wrapper(op, name, native.function_to_call(op, key)))
        rows.append(f"    {{&_ops::{op.schema.cpp_name}::entry, reinterpret_cast<void*>(&{name})}},")
    lines += ["}  // namespace", f"static const BackendKernel kernels_{shard}[] = {{", *rows, "};"]
    lines.append(f"extern const BackendTable k{key}Kernels_{shard} = {{kernels_{shard}, {len(rows)}}};\n}}  // namespace at")
    return "\n".join(lines) + "\n"


def backend_registry_source(key: str, shards: list[str]) -> str:
    """Kernels_KEY.cpp: the tables of all shards, and join_KEY() that hands them to the dispatcher."""
    lines = [BANNER, "#include <ATen/core/dispatch/BackendTable.h>\n", "namespace at {"]
    lines += [f"extern const BackendTable k{key}Kernels_{shard};" for shard in shards]
    lines += ["static const BackendTable* const tables[] = {", *(f"    &k{key}Kernels_{shard}," for shard in shards), "};"]
    lines.append(f"void join_{key}() {{ join_backend(c10::DispatchKey::{key}, tables, {len(shards)}); }}\n}}  // namespace at")
    return "\n".join(lines) + "\n"


def methods_inc(ops: list[Operator]) -> str:
    lines = [BANNER]
    for op in method_operators(ops):
        s = op.schema
        rest = [a for a in s.arguments if a.name != self_name(op)]
        lines.append(f"{method_return(op)} {s.name}({parameters(rest, True, op.entry.no_default_args)}) const;")
    lines = list(dict.fromkeys(lines))
    for op, rest, one in dims_overloads(method_operators(ops)):
        arguments = [a.name for a in op.schema.arguments if a.name != self_name(op)]
        values = ", ".join(f"IntArrayRef({a})" if a == one else a for a in arguments)
        lines.append(f"{method_return(op)} {op.schema.name}({rest}) const {{ return {op.schema.name}({values}); }}")
    lines.append("\n#include <ATen/core/TensorMembers.inc>")
    return "\n".join(lines) + "\n"


def methods_source(ops: list[Operator], bases: list[str]) -> str:
    lines = [BANNER, "#define TORCH_TENSOR_METHODS", "#include <ATen/core/Tensor.h>"]
    lines += [f"#include <ATen/ops/{b}_ops.h>" for b in bases]
    lines.append("\nnamespace at {\n")
    for op in method_operators(ops):
        s = op.schema
        me = self_name(op)
        rest = [a for a in s.arguments if a.name != me]
        mutable = any(a.name == me and a.type.mutable for a in s.arguments)
        this = "const_cast<Tensor&>(*this)" if mutable else "*this"
        args = ", ".join(this if a.name == me else a.name for a in s.arguments)
        lines.append(f"{method_return(op)} Tensor::{s.name}({parameters(rest)}) const {{\n"
                     f"  return at::_ops::{s.cpp_name}::call({args});\n}}")  # fmt: skip
    lines.append("\n}  // namespace at")
    # In one file: each file that sees the methods is compiled again when an operator is added.
    lines += ["\n#include <ATen/core/TensorMembers-inl.h>", "#include <torch/csrc/autograd/TensorMembers-inl.h>"]
    return "\n".join(lines) + "\n"


def self_name(op: Operator) -> str | None:
    return next((a.name for a in op.schema.arguments if a.name == "self" and a.type.is_tensor), None)


def method_return(op: Operator) -> str:
    return return_type(op.schema)


def method_operators(ops: list[Operator]) -> list[Operator]:
    found = []
    for op in ops:
        wanted = op.form == "inplace" or (op.form == "functional" and op.entry.variants & {"method", "cpp_method", "attribute"})
        if wanted and self_name(op):
            found.append(op)
    return found
