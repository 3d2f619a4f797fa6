"""Registry entries, call functions, kernel tables (Ops_*.cpp) and the headers under ATen/ops/."""

from __future__ import annotations

from torchgen.backends import BACKENDS, HOME
from torchgen.model import Entry, Operator
from torchgen.template import fill
from torchgen.types_cpp import argument_type, parameters, return_type, signature
from torchgen.writers import native

BANNER = "// Written by torchgen from native_functions.yaml.\n"
TEMPLATES = "ops.cpp.in"
# The slots of a kernel table, in the order of at::KernelSlots.
SLOTS = ("Undefined", *BACKENDS, "Autograd")


def has_autograd(op: Operator) -> bool:
    """Whether calls with tensors that require grad go through a kernel that records them."""
    e = op.entry
    if e.forwards or (e.composite_implicit and op.form == "functional") or op.changes_each:
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
    for key, kernel in e.dispatch.items():
        if key not in HOME and "CPU" in found and (e.structured or generated or kernel == e.dispatch.get("CPU")):
            found[key] = found["CPU"]
    if has_autograd(op):
        found["Autograd"] = f"&torch::autograd::VariableType::{op.schema.cpp_name}"
    return found


def _call_parts(op: Operator) -> dict[str, str]:
    """The values that all templates of functions with this operator's signature need."""
    ps = parameters(op.schema.arguments)
    return {"result": return_type(op.schema), "parameters": ps, "comma": ", " if ps else ""}


def ops_header(ops: list[Operator]) -> str:
    structs = [
        fill(
            TEMPLATES,
            "ops_struct",
            name=op.schema.cpp_name,
            schema=str(op.schema),
            signature=signature(op.schema),
            **_call_parts(op),
        )
        + "\n"
        for op in ops
    ]
    return fill(TEMPLATES, "ops_header", operators=structs) + "\n"


def dims_overloads(ops: list[Operator]):
    """(operator, its parameters after self, the parameter's name) for calls that accept both x.sum(0) and x.sum({0, 1}).

    A parameter of type std::optional<IntArrayRef> would also accept an int, but would then refer to an int64_t that no longer
    exists. It does not accept a list in braces."""

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
            # Omitted arguments must mean the same for all overloads, so overloads with a flag must be given it explicitly.
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
        # Positional before the options, by keyword after them, unless it is required.
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
               f"{'' if op.is_view or op.entry.derivatives else grad}"  # these may return a tensor that is not a leaf
               "  return result;\n}")  # fmt: skip
        yield (f"inline {rt} {s.name}({parameters(s.arguments)}) {{\n"
               f"  return at::_ops::{s.cpp_name}::call({names});\n}}")  # fmt: skip
        return
    yield (f"inline {rt} {s.name}({parameters(s.arguments, True, op.entry.no_default_args)}) {{\n"
           f"  return at::_ops::{s.cpp_name}::call({names});\n}}")  # fmt: skip


def native_header(entries: list[tuple[Entry, list[Operator]]]) -> str:
    lines = [line for entry, ops in entries for line in native.declarations(entry, ops)]
    return fill(TEMPLATES, "native_header", declarations=list(dict.fromkeys(lines))) + "\n"


def wrapper(op: Operator, name: str, function: str) -> str:
    """The function in a slot of the kernel table: the kernel, with the checks before it and the bookkeeping after it."""
    s = op.schema
    call = f"at::native::{function}({', '.join(a.name for a in s.arguments)})"
    writes = not op.entry.forwards and not op.changes_each and (not op.entry.composite_implicit or op.form != "functional")
    checks = list(_guards(op)) if writes else []
    versions = list(_bumps(op)) if writes and not native.copies_result(op) else []
    settled = list(_settled(op, kernel=not op.entry.composite_implicit))
    devices = list(_devices(op))
    parts = _call_parts(op)
    keep, return_result = "return ", ""
    if settled:
        keep, return_result = "auto result_ = ", "return result_;"
    elif versions and parts["result"] != "void":
        keep, return_result = ("auto&& " if parts["result"].endswith("&") else "auto ") + "result_ = ", "return result_;"
    elif versions:
        keep = ""
    return fill(
        TEMPLATES,
        "wrapper",
        name=name,
        keys=" keys_" if devices else "",
        devices=devices,
        keep=keep,
        call=call,
        checks=checks,
        versions=versions,
        settled=settled,
        return_result=return_result,
        **parts,
    )


def operator_source(op: Operator) -> str:
    """One operator's part of an Ops_*.cpp."""
    s = op.schema
    parts = _call_parts(op)
    names = ", ".join(a.name for a in s.arguments)
    cols = slots(op)
    prefix = f"&wrapper_{s.cpp_name}"
    wrappers = []
    for w in sorted({c for c in cols.values() if c.startswith(prefix)}):
        key = w[len(prefix) + 1 :] or next(iter(op.entry.dispatch))
        wrappers.append(wrapper(op, w[1:], native.function_to_call(op, key)))
    device = next((a for a in s.arguments if a.name == "device" and a.type.base == "Device"), None)
    where = "" if device is None else ", device" if device.type.optional else ", ::std::optional<Device>(device)"
    return (
        fill(
            TEMPLATES,
            "operator",
            native_function=fill(TEMPLATES, "native_function", function=native.body(op)) + "\n"
            if native.is_generated(op)
            else "",
            wrappers=wrappers,
            sources=sources(op, cols),
            name=s.cpp_name,
            base=f"{s.namespace}::{s.name}",
            overload=s.overload,
            schema=_escape(str(s)),
            considered="kAutogradConsidered" if has_autograd(op) else "kBackendsConsidered",
            slots=", ".join(f".{slot} = reinterpret_cast<void*>({cols[slot]})" for slot in SLOTS if slot in cols),
            call="call_on" if device else "call",
            call_arguments=f"entry{where}{parts['comma']}{names}",
            arguments=names,
            **parts,
        )
        + "\n"
    )


def sources(op: Operator, cols: dict[str, str]) -> list[str]:
    """The KernelSource list of an operator: the at::native functions that its wrappers call, and their kernels."""
    s, e = op.schema, op.entry
    rows: list[str] = []
    for slot, wrapper in cols.items():
        if not wrapper.startswith("&wrapper"):
            continue
        key = wrapper[len(f"&wrapper_{s.cpp_name}") + 1 :] or next(iter(e.dispatch))
        fn = native.function_to_call(op, key)
        types = ", ".join(argument_type(a.type) for a in s.arguments)
        address = f"reinterpret_cast<void*>(static_cast<{return_type(s)} (*)({types})>(&at::native::{fn}))"
        rows.append(f'    {{DispatchKey::{slot}, "at::native::{fn}", {address}, nullptr}},')
        if (
            slot not in ("Undefined", "Meta")
            and native.is_generated(op)
            and (e.structured or op.form == "functional")
            and not e.forwards
        ):
            kernel = native.kernels(e)[0]
            if native.is_stub(kernel):
                of_device = f"native::{kernel}.{'cpu()' if slot == 'CPU' else slot}"
                rows.append(
                    f'    {{DispatchKey::{slot}, "{kernel}", nullptr, [] {{ return reinterpret_cast<void*>({of_device}); }}}},'
                )
            else:
                address = f"reinterpret_cast<void*>(static_cast<{native.kernel_pointer(e)}>(&at::native::{kernel}))"
                rows.append(f'    {{DispatchKey::{slot}, "at::native::{kernel}", {address}, nullptr}},')
    return rows


def _settled(op: Operator, kernel: bool):
    """Note [Results that are not views] in ResultChecks.h."""
    e = op.entry
    if op.form != "functional" or op.is_view or e.structured or e.forwards or op.mutates:
        return
    inputs = ", ".join(f"native::Input({a.name})" for a in op.schema.arguments if a.type.is_tensor_like)
    rest = f", {'true' if kernel else 'false'}, {{{inputs}}});"
    for i, r in enumerate(op.schema.returns):
        place = "result_" if len(op.schema.returns) == 1 else f"std::get<{i}>(result_)"
        if r.type.is_tensor:
            yield f"if (C10_UNLIKELY({place}.defined() && {place}.is_view())) native::settle_result({place}{rest}"
        elif r.type.is_tensor_like:
            yield f"for (Tensor& t : {place}) {{\n  if (C10_UNLIKELY(t.defined() && t.is_view())) native::settle_result(t{rest}\n}}"


def _guards(op: Operator):
    """Checks that inference tensors are not written to outside inference mode, and that outputs do not overlap inputs."""
    for a in op.mutates:
        if not a.type.is_list and not a.type.optional:
            yield f"if (C10_UNLIKELY({a.name}.unsafeGetTensorImpl()->is_inference())) native::check_inference_mode();"
    yield from native.apart(op)


def _devices(op: Operator):
    """The check that kernels for CUDA get tensors of one device only."""
    tensors = [a.name for a in op.schema.arguments if a.type.is_tensor_like]
    if "CUDA" not in op.entry.dispatch or op.entry.mixed_devices or len(tensors) < 2:
        return
    inputs = ", ".join(f"native::Input({name})" for name in tensors)
    yield f'if (C10_UNLIKELY(native::may_mix_devices(keys_))) native::check_one_device("{op.schema.name}", {{{inputs}}});'


def _bumps(op: Operator):
    for a in op.mutates:
        if a.type.is_list:
            yield f"for (const Tensor& t : {a.name}) t.unsafeGetTensorImpl()->bump_version();"
        elif a.type.optional:
            yield f"if ({a.name} && {a.name}->defined()) {a.name}->unsafeGetTensorImpl()->bump_version();"
        else:
            yield f"{a.name}.unsafeGetTensorImpl()->bump_version();"


def _escape(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _source_head(ops: list[Operator], *headers: str) -> str:
    checks = ("ATen/native/common/OutputChecks.h", "ATen/native/common/ResultChecks.h")
    paths = [*headers, *checks, "ATen/native/common/TensorIterator.h"]
    for base in dict.fromkeys(op.entry.base for op in ops):
        paths += [f"ATen/ops/{base}_native.h", f"ATen/ops/{base}_ops.h"]
    called = [op.entry.target or op.entry.copy_of for op in ops]
    targets = {e.base for e in called if e} - {op.entry.base for op in ops}
    paths += ["ATen/native/common/ForeachLists.h"] if any(op.entry.foreach for op in ops) else []
    paths += ["ATen/native/common/ViewCopies.h"] if any(op.entry.copy_of for op in ops) else []
    paths += [f"ATen/ops/{base}_ops.h" for base in sorted(targets)]
    return fill(TEMPLATES, "source_head", includes=[f"#include <{path}>" for path in dict.fromkeys(paths)])


def ops_source(shard: str, ops: list[Operator], autograd: str = "", autograd_headers: list[str] = ()) -> str:
    """Ops_SHARD.cpp: all that is generated for these operators. `autograd` is the text of their nodes and kernels."""
    return (
        fill(
            TEMPLATES,
            "ops_source",
            head=_source_head(ops, "ATen/core/boxing.h", *autograd_headers),
            autograd=autograd,
            operators=[operator_source(op) for op in ops],
            shard=shard,
            entries=[f"    &_ops::{op.schema.cpp_name}::entry," for op in ops],
            count=str(len(ops)),
        )
        + "\n"
    )


def registry_source(shards: list[str]) -> str:
    """The tables of all shards; each table is in its Ops_SHARD.cpp."""
    declarations = [f"extern const OperatorTable kOperators_{shard};" for shard in shards]
    rows = [f"    &kOperators_{shard}," for shard in shards]
    return fill(TEMPLATES, "registry", declarations=declarations, rows=rows, count=str(len(shards))) + "\n"


def explicit_header(ops: list[Operator]) -> str:
    """Composite operators that Python modes see as they are, since no derivative needs the calls inside of them."""
    rows = [f'    "{op.schema.full_name}",' for op in ops if "CompositeExplicitAutograd" in op.entry.dispatch]
    text = [BANNER + "#pragma once\n", "namespace at {\n", "constexpr const char* kExplicitOperators[] = {"]
    return "\n".join([*text, *rows, "};\n", "}  // namespace at"]) + "\n"


def backend_operators(key: str, ops: list[Operator]) -> list[Operator]:
    """The operators whose entries name a kernel for this backend that is not the CPU's too."""
    return [op for op in ops if key in op.entry.dispatch and not op.entry.forwards and key not in slots(op)]


def backend_source(key: str, shard: str, ops: list[Operator]) -> str:
    """Kernels_KEY_SHARD.cpp: the kernels of a backend that is a separate library. See Note [Backend tables]."""
    wrappers, rows = [], []
    for op in ops:
        name = f"wrapper_{op.schema.cpp_name}"
        wrappers.append(wrapper(op, name, native.function_to_call(op, key)))
        rows.append(f"    {{&_ops::{op.schema.cpp_name}::entry, reinterpret_cast<void*>(&{name})}},")
    head = _source_head(ops, "ATen/core/dispatch/BackendTable.h")
    return fill(TEMPLATES, "backend", head=head, wrappers=wrappers, shard=shard, rows=rows, key=key, count=str(len(rows))) + "\n"


def backend_registry_source(key: str, shards: list[str]) -> str:
    """Kernels_KEY.cpp: the tables of all shards, and join_KEY(), which passes them to the dispatcher."""
    declarations = [f"extern const BackendTable k{key}Kernels_{shard};" for shard in shards]
    rows = [f"    &k{key}Kernels_{shard}," for shard in shards]
    return fill(TEMPLATES, "backend_registry", declarations=declarations, rows=rows, key=key, count=str(len(shards))) + "\n"


def methods_inc(ops: list[Operator]) -> str:
    lines = [BANNER]
    for op in method_operators(ops):
        s = op.schema
        rest = [a for a in s.arguments if a.name != self_name(op)]
        lines.append(f"{return_type(op.schema)} {s.name}({parameters(rest, True, op.entry.no_default_args)}) const;")
    lines = list(dict.fromkeys(lines))
    for op, rest, one in dims_overloads(method_operators(ops)):
        arguments = [a.name for a in op.schema.arguments if a.name != self_name(op)]
        values = ", ".join(f"IntArrayRef({a})" if a == one else a for a in arguments)
        lines.append(f"{return_type(op.schema)} {op.schema.name}({rest}) const {{ return {op.schema.name}({values}); }}")
    lines.append("\n#include <ATen/core/TensorMembers.inc>")
    return "\n".join(lines) + "\n"


def methods_source(ops: list[Operator], bases: list[str]) -> str:
    """All methods of Tensor, in one file, because adding an operator recompiles every file that includes them."""
    methods = []
    for op in method_operators(ops):
        s = op.schema
        me = self_name(op)
        mutable = any(a.name == me and a.type.mutable for a in s.arguments)
        this = "const_cast<Tensor&>(*this)" if mutable else "*this"
        methods.append(
            fill(
                TEMPLATES,
                "method",
                result=return_type(s),
                name=s.name,
                operator=s.cpp_name,
                parameters=parameters([a for a in s.arguments if a.name != me]),
                arguments=", ".join(this if a.name == me else a.name for a in s.arguments),
            )
        )
    return fill(TEMPLATES, "methods", includes=[f"#include <ATen/ops/{b}_ops.h>" for b in bases], methods=methods) + "\n"


def self_name(op: Operator) -> str | None:
    return next((a.name for a in op.schema.arguments if a.name == "self" and a.type.is_tensor), None)


def method_operators(ops: list[Operator]) -> list[Operator]:
    found = []
    for op in ops:
        has_method = (op.form == "inplace" and not op.schema.arguments[0].type.is_list) or (
            op.form == "functional" and op.entry.variants & {"method", "cpp_method", "attribute"}
        )
        if has_method and self_name(op):
            found.append(op)
    return found
