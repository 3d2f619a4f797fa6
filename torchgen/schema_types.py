"""The types of schemas. One row says how a type is written in C++, Python, stubs and docstrings.

A new type is a row here, a reader in torch/csrc/binding/python_thunk.h (ArgKind) and an Unbox in aten/src/ATen/core/boxing.h.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class SchemaType:
    """How a type is written. Fields after `value` default to `value`."""

    value: str  # the C++ type of a single value, passed by value
    kind: str  # the reader of the Python binding, an ArgKind
    stub: str  # in .pyi files. Inside class Tensor `int` and `float` are methods: aliases stand for the types
    word: str  # in docstrings
    argument: str = ""  # the C++ type of an argument, if it is not passed by value
    list_kind: str = ""  # the ArgKind of a list; None if there are no lists of this type
    list_argument: str = ""  # the C++ type of a list as an argument: ArrayRef<value>
    always_optional: bool = False  # in C++, an argument of this type may always be absent
    defaults: dict[str, int] = field(default_factory=dict)  # names of default values -> numbers
    zero: bool = False  # a member of this type needs an initializer


_INT = SchemaType("int64_t", "Int", "_int", "int", list_kind="IntList", list_argument="IntArrayRef",
                  defaults={"Mean": 1, "Sum": 2}, zero=True)  # fmt: skip

TYPES: dict[str, SchemaType] = {
    "Tensor": SchemaType("Tensor", "Tensor", "Tensor", "Tensor", "const Tensor&", "TensorList", "TensorList"),
    "int": _INT,
    "SymInt": _INT,
    "DeviceIndex": SchemaType("int64_t", "Int", "_int", "int", zero=True),
    "float": SchemaType("double", "Float", "_float", "float", list_kind="FloatList", zero=True),
    "bool": SchemaType("bool", "Bool", "_bool", "bool", list_kind="BoolList", zero=True),
    "str": SchemaType("::std::string_view", "Str", "_str", "str"),
    "Scalar": SchemaType("Scalar", "Scalar", "_Number", "Number", "const Scalar&", "ScalarList"),
    "ScalarType": SchemaType("ScalarType", "ScalarType", "_dtype", "torch.dtype", defaults={"long": 4, "float": 6}, zero=True),
    "Layout": SchemaType("Layout", "Layout", "_layout", "torch.layout", zero=True),
    "Device": SchemaType("Device", "Device", "_DeviceLike", "torch.device"),
    "MemoryFormat": SchemaType("MemoryFormat", "MemoryFormat", "memory_format", "torch.memory_format",
                               defaults={"contiguous_format": 0, "preserve_format": 1}, zero=True),
    "Generator": SchemaType("Generator", "Generator", "Generator", "torch.Generator", always_optional=True),
    "Storage": SchemaType("Storage", "Storage", "UntypedStorage | TypedStorage", "UntypedStorage"),
}  # fmt: skip


def type_of(base: str) -> SchemaType:
    return TYPES[base]
