"""One yaml entry and the operators that it defines.

Fields of an entry (all but `func` may be absent):

    func          the schema
    variants      function, method, inplace, out: the forms that exist (default: function)
                  inplace_function: torch.relu_ beside Tensor.relu_
                  cpp_method: a method of at::Tensor that Python has under another name (x[1:2])
                  attribute: a method of at::Tensor that is an attribute in Python (x.mT)
                  operator: nothing but the operator, which torch.ops has
                  operator_out: an out= form that only torch.ops has
    python_module nn, linalg, ...: the Python function is in torch._C._nn, ...
    numbers       which tensor arguments take Python numbers too: `all`, or `other` (all but self)
    undefined     tensor arguments that may be None, although the schema does not say so
    structured    TensorIteratorBase: a TensorIterator determines shape and type of the result
                  true: a meta function at::meta::NAME(MetaBase&, ...) sets the outputs. For an operator that exists
                  in-place only (uniform_), it only checks: at::meta::NAME(self, ...)
    meta          with TensorIteratorBase: the builder (binary_op, unary_float_op, ...); without it the
                  hand-written at::meta::NAME(TensorIteratorBase&, outputs..., inputs...) does it
    dispatch      key -> kernel. A name that ends in _stub is a DispatchStub: it selects by device, and on the CPU by capability.
                  `Backends: f` is one function for every backend of this tree, which calls stubs. Third-party backends do
                  not get it, since they have no stubs: they fall back to the CPU
                  The kernel of an entry with a TensorIterator takes (iter, numbers...); that of one with a meta function
                  (inputs..., outputs...); any other takes the arguments and returns the result
    derivatives   input -> formula; or `autograd: false` for an operator without a gradient
    output_differentiability  for each result, whether it has a gradient; needed if some (statistics, masks) have none
    node          the name of the autograd node, if it is not NameBackward0
    out           the schema of the out= form, if it is not the derived one
    inplace_overload  the overload name of the in-place form, if it differs
    out_cast      whether the out= form converts the result to the type of out. By default, forms on a
                  TensorIterator convert; forms that copy a new tensor refuse other types
    inplace_cast  false: the in-place form raises an error if the result has another type than self
    forwards      another entry (add.Tensor): every form of this one calls the same form of that one, arguments in
                  order; a number is converted if the other entry takes a tensor
    foreach       another entry: this one, whose first argument is a list of tensors, calls it for each element. Other lists
                  are as long as the first; arguments that are no lists go to every call
    copy          true: a view's NAME_copy exists too, which returns the result in new memory; `method`: as a method as well
    batching      the rule by which torch.vmap batches it (torchgen/batching.py). Elementwise operators on a TensorIterator,
                  reductions over `dim` with `keepdim`, views along a dimension, copies of views and composites need none
    cpp_no_default_args  arguments without a default in C++, because a call such as any(x) would be ambiguous
    mixed_devices true: a call may have tensors of several devices. Other entries with a kernel for CUDA refuse them, but for
                  numbers of the CPU (0-dimensional tensors)
    reshapes      true: it changes the shape of a tensor in place, but not its elements (transpose_)
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from torchgen.backends import BACKENDS, OURS
from torchgen.schema import Argument, Return, Schema, SchemaError, parse_schema
from torchgen.types_cpp import check_types

FIELDS = {
    "func", "variants", "python_module", "structured", "meta", "dispatch", "derivatives", "node", "out",
    "inplace_overload", "autograd", "cpp_no_default_args", "out_kernel", "inplace_kernel", "reshapes",
    "forwards", "output_differentiability", "out_cast", "inplace_cast", "numbers", "foreach", "copy",
    "batching", "undefined", "mixed_devices",
}  # fmt: skip
VARIANTS = {"function", "method", "cpp_method", "attribute", "inplace", "inplace_function", "out", "operator", "operator_out"}
COMPOSITE_KEYS = {"CompositeImplicitAutograd", "CompositeExplicitAutograd"}


@dataclass
class Entry:
    schema: Schema
    variants: set[str]
    line: int
    file: str = ""  # the yaml file: upsample/native_functions.yaml
    family: str = ""  # the folder that it is in
    python_module: str | None = None
    numbers: str | None = None  # None, "all", "other"
    undefined: frozenset[str] = frozenset()
    structured: str | None = None  # None, "iterator", "meta"
    meta: str | None = None
    dispatch: dict[str, str] = field(default_factory=dict)
    derivatives: dict[str, str] = field(default_factory=dict)
    differentiable: bool = True
    output_differentiability: tuple[bool, ...] | None = None
    node: str | None = None
    out_schema: Schema | None = None
    inplace_overload: str | None = None
    out_kernel: str | None = None
    inplace_kernel: str | None = None
    reshapes: bool = False
    mixed_devices: bool = False
    no_default_args: frozenset[str] = frozenset()
    out_cast: bool = False
    inplace_cast: bool = True
    forwards: str | None = None
    foreach: str | None = None
    batching: str | None = None
    target: Entry | None = None  # the entry that `forwards` or `foreach` names
    copy: bool | str | None = None
    copy_of: Entry | None = None  # the view that a NAME_copy copies

    @property
    def place(self) -> str:
        """file:line, for messages."""
        return f"{self.file}:{self.line}"

    @property
    def composite_implicit(self) -> bool:
        return "CompositeImplicitAutograd" in self.dispatch

    @property
    def base(self) -> str:
        """The name used for files: "add" for add, add_ and add.out."""
        return self.schema.name


@dataclass
class Operator:
    """One name in the registry."""

    schema: Schema
    entry: Entry
    form: str  # "functional" (also for an operator that is declared without forms), "inplace", "out"

    @property
    def mutates(self) -> list[Argument]:
        return [a for a in self.schema.arguments if a.type.mutable]

    @property
    def changes_each(self) -> bool:
        """Whether it calls an in-place operator for each tensor of a list, which checks, records and counts the change."""
        return self.form == "inplace" and (
            bool(self.entry.foreach) or (self.entry.composite_implicit and self.mutates[0].type.is_list)
        )

    @property
    def is_view(self) -> bool:
        return any(r.type.alias and not r.type.mutable for r in self.schema.returns)

    @property
    def takes_options(self) -> bool:
        names = [a.name for a in self.schema.arguments]
        return all(n in names for n in ("dtype", "layout", "device", "pin_memory"))


def read_entry(raw: dict, line: int) -> Entry:
    unknown = set(raw) - FIELDS
    if unknown:
        raise SchemaError(f"{raw.get('func')}: unknown fields {sorted(unknown)}")
    schema = parse_schema(raw["func"])
    check_types(schema)
    variants = {v.strip() for v in raw.get("variants", "function").split(",")}
    if variants - VARIANTS:
        raise SchemaError(f"{schema.full_name}: unknown variants {sorted(variants - VARIANTS)}")
    structured = raw.get("structured")
    if structured not in (None, True, "TensorIteratorBase"):
        raise SchemaError(f"{schema.full_name}: structured is `true` or `TensorIteratorBase`, not {structured!r}")
    if raw.get("copy") not in (None, True, "method"):
        raise SchemaError(f"{schema.full_name}: copy is `true` or `method`, not {raw['copy']!r}")
    if raw.get("numbers") not in (None, "all", "other"):
        raise SchemaError(f"{schema.full_name}: numbers is `all` or `other`, not {raw['numbers']!r}")
    dispatch, waiting = {}, ""
    for keys, kernel in (raw.get("dispatch") or {}).items():
        if kernel is None:  # YAML reads {CPU, Meta: f} as {CPU: null, Meta: f}
            waiting += f"{keys},"
            continue
        if not isinstance(kernel, str):
            raise SchemaError(f"{schema.full_name}: the kernel of {keys} is a name, not {kernel!r}")
        keys, waiting = waiting + str(keys), ""
        for key in str(keys).split(","):
            key = key.strip()
            if key not in {"Backends", *BACKENDS, *COMPOSITE_KEYS}:
                raise SchemaError(f"{schema.full_name}: unknown dispatch key {key}")
            dispatch |= dict.fromkeys(OURS, kernel) if key == "Backends" else {key: kernel}
    if waiting:
        raise SchemaError(f"{schema.full_name}: no kernel is named for {waiting}")
    if not dispatch:
        dispatch["CompositeImplicitAutograd"] = schema.name
    _check_kernels(schema, dispatch, structured)
    derivatives = {}
    for names, formula in (raw.get("derivatives") or {}).items():
        derivatives[str(names)] = str(formula)
    known = {a.name for a in schema.arguments}
    for names in derivatives:
        for name in names.split(","):
            if name.strip() not in known:
                raise SchemaError(f"{schema.full_name}: derivative of {name.strip()!r}, which is no argument")
    undefined = frozenset(raw.get("undefined") or ())
    if not undefined <= {a.name for a in schema.arguments if a.type.is_tensor}:
        raise SchemaError(f"{schema.full_name}: `undefined` names tensor arguments, not {sorted(undefined)}")
    return Entry(
        schema=schema,
        variants=variants,
        line=line,
        python_module=raw.get("python_module"),
        numbers=raw.get("numbers"),
        undefined=undefined,
        structured={None: None, True: "meta", "TensorIteratorBase": "iterator"}[structured],
        meta=raw.get("meta"),
        dispatch=dispatch,
        derivatives=derivatives,
        differentiable=raw.get("autograd", True) is not False,
        output_differentiability=_output_differentiability(raw, schema),
        node=raw.get("node"),
        out_schema=parse_schema(raw["out"]) if raw.get("out") else None,
        inplace_overload=raw.get("inplace_overload"),
        out_kernel=raw.get("out_kernel"),
        inplace_kernel=raw.get("inplace_kernel"),
        reshapes=bool(raw.get("reshapes", False)),
        mixed_devices=bool(raw.get("mixed_devices", False)),
        no_default_args=frozenset(raw.get("cpp_no_default_args") or ()),
        out_cast=raw.get("out_cast", structured == "TensorIteratorBase") is not False,
        inplace_cast=raw.get("inplace_cast", True) is not False,
        forwards=raw.get("forwards"),
        foreach=raw.get("foreach"),
        batching=raw.get("batching"),
        copy=raw.get("copy"),
    )


def copy_entry(view: Entry, node: str | None) -> Entry:
    """The entry of a view's NAME_copy."""
    s = view.schema
    if not any(r.type.alias and not r.type.mutable for r in s.returns):
        raise SchemaError(f"{s.full_name}: `copy: true` is for views")
    arguments = tuple(replace(a, type=a.type.plain) for a in s.arguments)
    returns = tuple(replace(r, type=r.type.plain) for r in s.returns)
    name = s.name + "_copy"
    differentiates = bool(view.derivatives) or not view.composite_implicit
    return Entry(
        schema=replace(s, name=name, arguments=arguments, returns=returns),
        variants={"function", "out"} | ({"method"} if view.copy == "method" else set()),
        line=view.line,
        file=view.file,
        family=view.family,
        dispatch={"CompositeExplicitAutograd" if differentiates else "CompositeImplicitAutograd": name},
        derivatives=dict(view.derivatives),
        differentiable=view.differentiable,
        node=f"{node}_copy" if node else None,
        copy_of=view,
    )


def in_place_alone(schema: Schema) -> bool:
    """Whether a schema is an in-place operator's: uniform_(Tensor(a!) self, ...) -> Tensor(a!)."""
    first = schema.arguments[:1]
    return bool(first and first[0].type.mutable and not first[0].out)


def _check_kernels(schema: Schema, dispatch: dict[str, str], structured: object) -> None:
    """A structured entry has one kernel per backend; a stub selects by device, so it needs a tensor or a device argument."""
    kernels = set(dispatch.values())
    stubs = [k for k in kernels if k.endswith("_stub")]
    if structured and len(kernels) > 1:
        raise SchemaError(
            f"{schema.full_name}: a structured operator has one kernel, not {', '.join(sorted(kernels))}; "
            "one that differs by backend is a stub (a name that ends in _stub)"
        )
    if structured and "Meta" in dispatch:
        raise SchemaError(f"{schema.full_name}: the meta function of a structured operator is its kernel for Meta")
    if structured and in_place_alone(schema) and (structured is not True or not stubs):
        raise SchemaError(
            f"{schema.full_name}: an operator that exists in-place only is structured by `structured: true` and a stub, which "
            "writes to self"
        )
    if not stubs or structured:
        return
    if len(kernels) > 1 or not dispatch.keys() <= set(BACKENDS) - {"Meta"}:
        raise SchemaError(
            f"{schema.full_name}: {stubs[0]} is a stub, which computes on every backend that is not Meta. An operator with a "
            "meta function is structured: `structured: true` or `structured: TensorIteratorBase`"
        )
    takes_device = any(a.type.is_tensor and not a.type.optional or a.name == "device" for a in schema.arguments)
    if not takes_device:
        raise SchemaError(f"{schema.full_name}: {stubs[0]} is a stub, but no argument says on which device to compute")


def _output_differentiability(raw: dict, schema: Schema) -> tuple[bool, ...] | None:
    flags = raw.get("output_differentiability")
    if flags is not None and (len(flags) != len(schema.returns) or not all(isinstance(v, bool) for v in flags)):
        raise SchemaError(f"{schema.full_name}: output_differentiability is one of true, false for each result")
    return None if flags is None else tuple(flags)


def inplace_schema(entry: Entry) -> Schema:
    s = entry.schema
    first = s.arguments[0]
    if not first.type.is_tensor_like:
        raise SchemaError(f"{s.full_name}: an in-place form needs a tensor as its first argument")
    mutable = replace(first.type, alias="a", mutable=True)
    returns = () if first.type.is_list else (Return(mutable),)
    arguments = (replace(first, type=mutable), *s.arguments[1:])
    overload = s.overload if entry.inplace_overload is None else entry.inplace_overload
    return replace(s, name=s.name + "_", overload=overload, arguments=arguments, returns=returns)


def out_schema(entry: Entry) -> Schema:
    if entry.out_schema:
        return entry.out_schema
    s = entry.schema
    options = {"dtype", "layout", "device", "pin_memory"}
    inputs = s.arguments
    if options <= {a.name for a in inputs}:  # the out= tensor determines dtype and device
        inputs = tuple(a for a in inputs if a.name not in options)
    outs, returns = [], []
    for i, r in enumerate(s.returns):
        name = "out" if len(s.returns) == 1 else (r.name or f"out{i}")
        t = replace(r.type, alias="abcdefgh"[i], mutable=True)
        outs.append(Argument(name, t, None, kwarg_only=True, out=True))
        if not t.is_list:
            returns.append(Return(t, r.name))
    keeps_name = entry.copy_of or "operator_out" in entry.variants
    overload = "out" if not s.overload or (s.overload == "Tensor" and not keeps_name) else f"{s.overload}_out"
    return replace(s, overload=overload, arguments=(*inputs, *outs), returns=tuple(returns))


def operators_of(entry: Entry) -> list[Operator]:
    ops = [Operator(entry.schema, entry, "functional")]
    if "inplace" in entry.variants or "inplace_function" in entry.variants:
        ops.append(Operator(inplace_schema(entry), entry, "inplace"))
    if entry.variants & {"out", "operator_out"}:
        ops.append(Operator(out_schema(entry), entry, "out"))
    return ops


def target_schema(op: Operator) -> Schema:
    """The operator that an operator of an entry with `forwards` calls."""
    target = op.entry.target
    assert target is not None
    return {"functional": lambda: target.schema, "inplace": lambda: inplace_schema(target),
            "out": lambda: out_schema(target)}[op.form]()  # fmt: skip
