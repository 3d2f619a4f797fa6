"""The names of operators' kernels, and how the forms of an entry call them.

An entry has up to three operators (functional, in-place, out); `body` writes the C++ of one of them as
a function in namespace at::native, where people set breakpoints: `break at::native::add`.
"""

from __future__ import annotations

from torchgen.model import Entry, Operator, in_place_alone, target_schema
from torchgen.schema import Argument
from torchgen.types_cpp import argument_type, default_value, parameters, return_type

OPTION_NAMES = ("dtype", "layout", "device", "pin_memory")


def native_name(op: Operator) -> str:
    """at::native::NAME of this operator; overloads share a name and are C++ overloads."""
    return op.schema.name + ("_out" if op.form == "out" else "")


def is_stub(kernel: str) -> bool:
    return kernel.endswith("_stub")


def kernels(entry: Entry) -> list[str]:
    return list(dict.fromkeys(entry.dispatch.values()))


def non_tensor_inputs(entry: Entry) -> list[Argument]:
    return [a for a in entry.schema.inputs if not a.type.is_tensor]


def tensor_inputs(entry: Entry) -> list[Argument]:
    return [a for a in entry.schema.inputs if a.type.is_tensor]


def kernel_parameters(entry: Entry) -> list[tuple[str, str]]:
    """(type, name) of each parameter of an entry's kernel, which is a function or a stub."""
    if entry.structured == "iterator":
        return [("TensorIteratorBase&", "iter"), *((argument_type(a.type), a.name) for a in non_tensor_inputs(entry))]
    if entry.structured == "meta":
        outs = [] if is_stub_in_place(entry) else output_names(entry)
        return [*((argument_type(a.type), a.name) for a in entry.schema.inputs), *(("const Tensor&", name) for name in outs)]
    return [(argument_type(a.type), a.name) for a in entry.schema.arguments]


def is_stub_in_place(entry: Entry) -> bool:
    """An operator that exists in-place only, whose kernel is a stub that writes to self and returns nothing."""
    return in_place_alone(entry.schema) and any(map(is_stub, kernels(entry)))


def kernel_return(entry: Entry) -> str:
    return "void" if entry.structured or is_stub_in_place(entry) else return_type(entry.schema)


def kernel_pointer(entry: Entry) -> str:
    """The type of a pointer to the entry's kernel."""
    return f"{kernel_return(entry)} (*)({', '.join(t for t, _ in kernel_parameters(entry))})"


def _kernel_declaration(entry: Entry, kernel: str) -> str:
    if is_stub(kernel):
        # The macro would read a type that contains commas as several arguments.
        return f"using {kernel}_fn = {kernel_pointer(entry)}; DECLARE_DISPATCH({kernel}_fn, {kernel});"
    return f"{kernel_return(entry)} {kernel}({', '.join(f'{t} {name}' for t, name in kernel_parameters(entry))});"


def declarations(entry: Entry, ops: list[Operator]) -> list[str]:
    """The lines of NAME_native.h: functions that a kernel author defines, and generated ones."""
    lines: list[str] = []
    s = entry.schema
    if entry.structured == "iterator" and not entry.meta:
        lines.append(f"namespace meta {{ void {s.cpp_name}(TensorIteratorBase& iter, {parameters(s.inputs)}); }}")
    if entry.structured == "meta":
        meta = "" if is_stub_in_place(entry) else "MetaBase& meta, "
        lines.append(f"namespace meta {{ void {s.cpp_name}({meta}{parameters(s.inputs)}); }}")
    for kernel in kernels(entry):
        lines.append(f"namespace native {{ {_kernel_declaration(entry, kernel)} }}")
    for op in ops:
        custom = {"out": entry.out_kernel, "inplace": entry.inplace_kernel}.get(op.form)
        if custom and not entry.structured:
            lines.append(f"namespace native {{ {return_type(op.schema)} {custom}({parameters(op.schema.arguments)}); }}")
    for op in ops:
        if is_generated(op):
            lines.append(f"namespace native {{ {return_type(op.schema)} {native_name(op)}({parameters(op.schema.arguments)}); }}")
    return list(dict.fromkeys(lines))


def output_names(entry: Entry) -> list[str]:
    rets = entry.schema.returns
    return [r.name or ("out" if len(rets) == 1 else f"out{i}") for i, r in enumerate(rets)]


def is_generated(op: Operator) -> bool:
    """Whether torchgen writes the body of this form. Otherwise it is written by hand, under the kernel's name."""
    e = op.entry
    if e.structured or e.forwards or (e.foreach and op.form != "out") or (e.copy_of and op.form == "functional"):
        return True
    if op.form == "out":
        return e.out_kernel is None
    if op.form == "inplace":
        return e.inplace_kernel is None
    return any(map(is_stub, kernels(e)))


def copies_result(op: Operator) -> bool:
    """Whether the body copies the result of the functional form by `copy_`, which counts the change."""
    e = op.entry
    if not is_generated(op) or op.form == "functional":
        return False
    return not (e.forwards or e.structured or is_stub_in_place(e) or op.changes_each)


def function_to_call(op: Operator, key: str) -> str:
    """The at::native function that a key's column calls."""
    e = op.entry
    if is_generated(op):
        return native_name(op)
    if op.form == "out":
        return e.out_kernel or ""
    if op.form == "inplace":
        return e.inplace_kernel or ""
    return e.dispatch[key]


def body(op: Operator) -> str:
    """The generated at::native function."""
    head = f"{return_type(op.schema)} {native_name(op)}({parameters(op.schema.arguments)})"
    e = op.entry
    if e.forwards:
        lines = _forwarding_body(op)
    elif e.foreach and op.form != "out":
        lines = _foreach_body(op)
    elif e.copy_of and op.form == "functional":
        view = e.copy_of.schema
        lines = [f"return copied(at::_ops::{view.cpp_name}::call({', '.join(a.name for a in view.arguments)}));"]
    elif e.structured == "iterator":
        lines = _iterator_body(op)
    elif is_stub_in_place(e):
        lines = _stub_in_place_body(op)
    elif e.structured == "meta":
        lines = _meta_body(op)
    elif not copies_result(op):
        lines = _stub_body(op)
    elif op.form == "out":
        lines = _out_by_copy(op)
    else:
        lines = inplace_by_copy(op)
    return head + " {\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def _bindings(op: Operator, kind: str) -> list[str]:
    """Declares the iterator or meta object with the outputs of the form."""
    label = f'"{op.schema.name}"'
    if op.form == "functional":
        return [f"{kind} meta_({label});"]
    if op.form == "inplace":
        return [f"{kind} meta_({label}, OutputForm::inplace);", f"meta_.bind_output(0, {op.schema.arguments[0].name});"]
    lines = [f"{kind} meta_({label}, OutputForm::out);"]
    for i, a in enumerate(op.schema.out_arguments):
        lines.append(f"meta_.bind_output({i}, {a.name});")
    return lines


def _finish(op: Operator) -> list[str]:
    n = len(op.entry.schema.returns)
    if op.form == "functional":
        if n == 1:
            return ["return meta_.take_output(0);"]
        return ["return {" + ", ".join(f"meta_.take_output({i})" for i in range(n)) + "};"]
    lines = ["meta_.finish_outputs();"]
    names = [op.schema.arguments[0].name] if op.form == "inplace" else [a.name for a in op.schema.out_arguments]
    lines.append(f"return {names[0]};" if len(names) == 1 else "return {" + ", ".join(names) + "};")
    return lines


def _iterator_body(op: Operator) -> list[str]:
    e = op.entry
    lines = _bindings(op, "TensorIterator")
    inputs = ", ".join(a.name for a in e.schema.inputs)
    if e.meta:
        lines.append(f"meta_.build_{e.meta}({', '.join(a.name for a in tensor_inputs(e))});")
    else:
        lines.append(f"at::meta::{e.schema.cpp_name}(meta_, {inputs});")
    if op.form == "out" and not e.out_cast:
        for i, a in enumerate(op.schema.out_arguments):
            lines.append(f'check_output_dtype("{op.schema.name}", {a.name}, meta_.output({i}).scalar_type());')
    extra = "".join(f", {a.name}" for a in non_tensor_inputs(e))
    kernel = kernels(e)[0]
    call = f"{kernel}(meta_.device_type(), meta_{extra})" if is_stub(kernel) else f"{kernel}(meta_{extra})"
    # Even without elements, because the kernel is what refuses a type.
    lines.append(f"if (!meta_.device().is_meta()) {call};")
    return lines + _finish(op)


def _meta_body(op: Operator) -> list[str]:
    e = op.entry
    lines = _bindings(op, "MetaBase")
    inputs = ", ".join(a.name for a in e.schema.inputs)
    lines.append(f"at::meta::{e.schema.cpp_name}(meta_, {inputs});")
    outs = [f"meta_.output({i})" for i in range(len(e.schema.returns))]
    kernel = kernels(e)[0]
    arguments = [*(["meta_.device_type()"] if is_stub(kernel) else []), *(a.name for a in e.schema.inputs), *outs]
    lines.append(f"if (meta_.needs_kernel()) {kernel}({', '.join(arguments)});")
    return lines + _finish(op)


def _stub_in_place_body(op: Operator) -> list[str]:
    """The checks, if any, and the kernel: a stub does nothing on the meta device."""
    e = op.entry
    arguments = ", ".join(a.name for a in op.schema.arguments)
    me = op.schema.arguments[0].name
    check = [f"at::meta::{e.schema.cpp_name}({arguments});"] if e.structured else []
    return [*check, f"{kernels(e)[0]}({me}.device().type(), {arguments});", f"return {me};"]


def _stub_body(op: Operator) -> list[str]:
    """A stub that is the whole kernel: it runs on the first tensor's device or on the requested one."""
    arguments = op.schema.arguments
    tensor = next((a.name for a in arguments if a.type.is_tensor and not a.type.optional), None)
    device = f"{tensor}.device().type()" if tensor else "device_or_default(device).type()"
    return [f"return {kernels(op.entry)[0]}({device}, {', '.join(a.name for a in arguments)});"]


def _forwarding_body(op: Operator) -> list[str]:
    target = target_schema(op)
    args = []
    for mine, theirs in zip(op.schema.arguments, target.arguments, strict=True):
        wrap = mine.type.base == "Scalar" and theirs.type.base == "Tensor"
        args.append(f"wrapped_scalar_tensor({mine.name})" if wrap else mine.name)
    return [f"return at::_ops::{target.cpp_name}::call({', '.join(args)});"]


def _foreach_body(op: Operator) -> list[str]:
    """A loop over the lists, which calls the target for each element."""
    target = target_schema(op)
    mine = op.schema.arguments
    lists = [a for a in mine if a.type.is_list]
    first = lists[0].name
    args, before = [], []
    for k, theirs in enumerate(target.arguments):
        if k >= len(mine):
            args.append(default_value(theirs))
            continue
        text = f"{mine[k].name}[i_]" if mine[k].type.is_list else mine[k].name
        if mine[k].type.mutable:
            text = f"element_to_change({mine[k].name}, i_)"
        elif mine[k].type.base == "Scalar" and theirs.type.base == "Tensor":
            number = f"wrapped_scalar_tensor({text})"
            if not mine[k].type.is_list:
                before.append(f"const Tensor {text}_tensor_ = {number};")
            text = number if mine[k].type.is_list else f"{text}_tensor_"
        args.append(text)
    sizes = ", ".join(f"{a.name}.size()" for a in lists[1:])
    check = f'check_lists("{op.schema.name}", {first}.size(), {{{sizes}}});'
    call = f"at::_ops::{target.cpp_name}::call({', '.join(args)})"
    loop = f"for (size_t i_ = 0; i_ < {first}.size(); ++i_)"
    scalars = [a for a in mine if not (a.type.is_list and a.type.base == "Tensor")]
    at_once = ""
    if not scalars or [a.type.base for a in scalars] == ["Scalar"]:
        numbers = "".join(a.name if a.type.is_list else f"ArrayRef<Scalar>({a.name})" for a in scalars) or "{}"
        names = ", ".join(a.name for a in mine if a not in scalars)
        at_once = f'foreach_at_once("{op.entry.foreach}", {{{names}}}, {numbers}, '
    if op.form == "inplace":
        return [check, *([f"if ({at_once}nullptr)) return;"] if at_once else []), *before, f"{loop} {call};"]
    return [
        check,
        "std::vector<Tensor> result_;",
        *([f"if ({at_once}&result_)) return result_;"] if at_once else []),
        *before,
        f"result_.reserve({first}.size());",
        f"{loop} result_.push_back({call});",
        "return result_;",
    ]


def _functional_call(op: Operator, options_of: str | None, instead: str | None = None) -> str:
    args = []
    for i, a in enumerate(op.entry.schema.arguments):
        if i == 0 and instead:
            args.append(instead)
        elif options_of and a.name in OPTION_NAMES:
            args.append({"dtype": f"{options_of}.scalar_type()", "layout": f"{options_of}.layout()",
                         "device": f"{options_of}.device()", "pin_memory": "std::nullopt"}[a.name])  # fmt: skip
        else:
            args.append(a.name)
    return f"at::_ops::{op.entry.schema.cpp_name}::call({', '.join(args)})"


def _out_by_copy(op: Operator) -> list[str]:
    outs = op.schema.out_arguments
    copy = "copy_to_output" if op.entry.out_cast else "copy_to_exact_output"
    dropped = {a.name for a in op.entry.schema.arguments} - {a.name for a in op.schema.arguments}
    call = _functional_call(op, outs[0].name if dropped & set(OPTION_NAMES) else None)
    if len(outs) == 1 and outs[0].type.is_list:
        return [f'{copy}s("{op.schema.name}", {outs[0].name}, {call});']
    if len(outs) == 1:
        return [f'return {copy}("{op.schema.name}", {outs[0].name}, {call});']
    lines = [f"auto result_ = {call};"]
    for i, a in enumerate(outs):
        lines.append(f'{copy}("{op.schema.name}", {a.name}, std::get<{i}>(result_));')
    return lines + ["return {" + ", ".join(a.name for a in outs) + "};"]


def inplace_by_copy(op: Operator, instead: str | None = None) -> list[str]:
    """`instead` is the name used for self in the computation, if it is not self."""
    name = op.schema.arguments[0].name
    copy = "copy_to_self" if op.entry.inplace_cast else "copy_to_exact_self"
    return [f'return {copy}("{op.schema.name}", {name}, {_functional_call(op, None, instead)});']


def apart(op: Operator) -> list[str]:
    """The code before an out= or in-place kernel that would otherwise read what it has written.

    Note [Outputs that are inputs] in ResultChecks.h."""
    e = op.entry
    if e.forwards or op.form == "functional" or (e.composite_implicit and op.form == "inplace"):
        return []
    written = op.mutates
    outputs = ", ".join(f"Input({a.name})" for a in written)
    inputs = ", ".join(f"Input({a.name})" for a in op.schema.arguments if a.type.is_tensor_like and a not in written)
    lines = []
    if len(written) > 1 or any(a.type.is_list for a in written):
        lines.append(f'native::check_outputs_apart("{op.schema.name}", {{{outputs.replace("Input", "native::Input")}}});')
    by_copy = is_generated(op) and not e.structured
    if by_copy or e.structured == "iterator" or not inputs:
        return lines
    body = _out_by_copy(op) if op.form == "out" else inplace_by_copy(op)
    resized = "true" if op.form == "out" else "false"
    condition = f"native::shares_memory({{{outputs}}}, {{{inputs}}}, {resized})".replace("Input(", "native::Input(")
    return [*lines, f"if (C10_UNLIKELY({condition})) {{", *["  " + line for line in body], "}"]
