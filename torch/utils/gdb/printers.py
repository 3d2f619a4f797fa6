"""Pretty-printers: one line each, so that the arguments in a backtrace can be read."""

import gdb
import gdb.printing

from . import memory

MAX_ELEMENTS = 20


def undisturbed(describe):
    """A printer's text, or the reason why there is none: an uninitialized variable may hold anything."""

    def to_string(self):
        try:
            return describe(self.value)
        except (gdb.error, gdb.MemoryError, OverflowError, UnicodeDecodeError, ValueError) as problem:
            return f"<{problem}>"

    return to_string


def printer(describe):
    return type(
        describe.__name__, (), {"__init__": lambda self, value: setattr(self, "value", value), "to_string": undisturbed(describe)}
    )


def listed(pointer, count):
    if count > 1 << 40:
        raise gdb.MemoryError("no list is there")
    shown = [str((pointer + i).dereference()) for i in range(min(count, MAX_ELEMENTS))]
    return "[" + ", ".join(shown) + (f", ... {count} in all" if count > MAX_ELEMENTS else "") + "]"


def tensor(value):
    impl = memory.tensor_impl(value)
    return "undefined tensor" if impl is None else memory.TensorFacts(impl).summary()


def owners(target):
    return int(target["refcount_"]["_M_i"])


def tensor_impl(value):
    facts = memory.TensorFacts(value)
    return (
        f"{facts.summary()} {{data = {facts.data:#x}, storage_offset = {facts.offset}, strides = {facts.strides}, "
        f"keys = {value['keys_']}, version = {version(value)}, use_count = {owners(value)}}}"
    )


def version(impl):
    own = impl["own_version_"]["p_"]
    if int(own):
        return int(own.dereference()["count"])
    storage = impl["storage_"]["impl_"]["p_"]
    return int(storage["version"]["_M_i"]) if int(storage) else 0


def storage_impl(value):
    data = value["data_"]
    device = memory.enumerator(data["device_"]["type_"]).lower()
    return f"{int(value['nbytes_'])} bytes at {int(data['data_']):#x} on {device}, use_count = {owners(value)}"


def storage(value):
    pointer = value["impl_"]["p_"]
    return storage_impl(pointer.dereference()) if int(pointer) else "no storage"


def intrusive_ptr(value):
    pointer = value["p_"]
    if not int(pointer):
        return "nullptr"
    target = pointer.dereference()
    return f"({target.type.unqualified()}*) {int(pointer):#x}, use_count = {owners(target)}"


def array_ref(value):
    return listed(value["data_"], int(value["size_"]))


def scalar(value):
    kind, content = memory.enumerator(value["tag_"]), value["v_"]
    if kind == "Double":
        return str(float(content["d"]))
    if kind == "Bool":
        return str(int(content["i"]) != 0)
    if kind == "UInt":
        return str(int(content["i"]) & (1 << 64) - 1)
    if kind == "Int":
        return str(int(content["i"]))
    return f"{float(content['z'][0]):g}{float(content['z'][1]):+g}j"


def key_names(bits):
    """The names of the dispatch keys in a set, the one of highest priority first."""

    def names(enum):
        return {f.enumval: f.name.rsplit("::", 1)[-1] for f in gdb.lookup_type(enum).fields()}

    backends, functionalities = names("c10::BackendComponent"), names("c10::Functionality")
    keys = set(names("c10::DispatchKey").values())
    present = [name for k, name in backends.items() if bits >> k & 1]
    found = []
    for number, name in sorted(functionalities.items(), reverse=True):
        if number and bits >> (len(backends) - 1 + number) & 1:
            prefix = {"Dense": "", "AutogradFunctionality": "Autograd"}.get(name, name)
            found += [name] if name in keys else [prefix + backend for backend in reversed(present)]
    return found


def dispatch_key_set(value):
    return f"DispatchKeySet({', '.join(key_names(int(value['bits_'])))})"


def optional(value):
    content = memory.optional_content(value)
    return "None" if content is None else str(content)


def small_float(value):
    kind = memory.class_of(value).rsplit("::", 1)[-1]
    bits = int(value["x"])
    return f"{memory.small_float(kind, bits):g}"


# What an IValue of each kind points to, after the reference counts.
VECTOR = "std::vector<{0}, std::allocator<{0}> >"
BOXED = {
    "Tensor": "at::Tensor",
    "String": "std::string",
    "Device": "c10::Device",
    "Storage": "c10::Storage",
    "TensorList": VECTOR.format("at::Tensor"),
    "OptionalTensorList": "std::vector<std::optional<at::Tensor>, std::allocator<std::optional<at::Tensor> > >",
    "IntList": VECTOR.format("long"),
    "DoubleList": VECTOR.format("double"),
    "BoolList": VECTOR.format("bool"),
    "ScalarList": VECTOR.format("c10::Scalar"),
}


def ivalue(value):
    kind, number = memory.enumerator(value["tag_"]), value["num_"]
    if kind == "None":
        return "None"
    if kind == "Double":
        return f"Double {float(number['d'])}"
    if kind == "Int":
        return f"Int {int(number['i'])}"
    if kind == "Bool":
        return f"Bool {int(number['i']) != 0}"
    if kind == "ComplexDouble":
        return f"ComplexDouble {float(number['z'][0]):g}{float(number['z'][1]):+g}j"
    pointer = value["box_"]["p_"]
    if kind not in BOXED:
        return f"{kind} at {int(pointer):#x}"
    held = gdb.lookup_type(BOXED[kind]).pointer()
    return f"{kind} {(pointer + 1).cast(held).dereference()}"


PRINTERS = [
    ("Tensor", "^at::Tensor(Base)?$", tensor),
    ("TensorImpl", "^c10::TensorImpl$", tensor_impl),
    ("Storage", "^c10::Storage$", storage),
    ("StorageImpl", "^c10::StorageImpl$", storage_impl),
    ("intrusive_ptr", "^c10::intrusive_ptr<.*>$", intrusive_ptr),
    ("ArrayRef", "^c10::ArrayRef<.*>$", array_ref),
    ("SmallVector", "^c10::SmallVector<.*>$", array_ref),
    ("Scalar", "^c10::Scalar$", scalar),
    ("DispatchKeySet", "^c10::DispatchKeySet$", dispatch_key_set),
    ("optional", "^std::optional<.*>$", optional),
    ("IValue", "^at::IValue$", ivalue),
    ("Half", "^c10::Half$", small_float),
    ("BFloat16", "^c10::BFloat16$", small_float),
    ("Float8", "^c10::Float8_.*$", small_float),
]


def collection():
    found = gdb.printing.RegexpCollectionPrettyPrinter("torch")
    for name, pattern, describe in PRINTERS:
        found.add_printer(name, pattern, printer(describe))
    return found
