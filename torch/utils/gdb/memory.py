"""Reading tensors out of a program's memory. Works on core files too: nothing is called in the program."""

import struct

import gdb

# c10::ScalarType -> (Python's name, how struct reads one real part).
TYPES = {
    "Byte": ("uint8", "B"),
    "Char": ("int8", "b"),
    "Short": ("int16", "h"),
    "Int": ("int32", "i"),
    "Long": ("int64", "q"),
    "UInt16": ("uint16", "H"),
    "UInt32": ("uint32", "I"),
    "UInt64": ("uint64", "Q"),
    "Bool": ("bool", "?"),
    "Half": ("float16", "e"),
    "Float": ("float32", "f"),
    "Double": ("float64", "d"),
    "ComplexHalf": ("complex32", "ee"),
    "ComplexFloat": ("complex64", "ff"),
    "ComplexDouble": ("complex128", "dd"),
    "BFloat16": ("bfloat16", "H"),
    "Float8_e5m2": ("float8_e5m2", "B"),
    "Float8_e4m3fn": ("float8_e4m3fn", "B"),
    "Float8_e5m2fnuz": ("float8_e5m2fnuz", "B"),
    "Float8_e4m3fnuz": ("float8_e4m3fnuz", "B"),
    "Float8_e8m0fnu": ("float8_e8m0fnu", "B"),
}

# Floats that struct does not support: bits of exponent and mantissa, bias, and the patterns that mean NaN.
SMALL_FLOATS = {
    "Float8_e5m2": (5, 2, 15, lambda x: x & 0x7F > 0x7C),
    "Float8_e4m3fn": (4, 3, 7, lambda x: x & 0x7F == 0x7F),
    "Float8_e5m2fnuz": (5, 2, 16, lambda x: x == 0x80),
    "Float8_e4m3fnuz": (4, 3, 8, lambda x: x == 0x80),
}


def enumerator(value):
    """The last part of an enumerator's name: Float of c10::ScalarType::Float."""
    return str(value.format_string(raw=True)).rsplit("::", 1)[-1]


def small_float(kind, bits):
    if kind == "Half":
        return struct.unpack("<e", struct.pack("<H", bits))[0]
    if kind == "BFloat16":
        return struct.unpack("<f", struct.pack("<I", bits << 16))[0]
    if kind == "Float8_e8m0fnu":
        return float("nan") if bits == 255 else 2.0 ** (bits - 127)
    exponent_bits, mantissa_bits, bias, is_nan = SMALL_FLOATS[kind]
    if is_nan(bits):
        return float("nan")
    sign = -1.0 if bits >> (exponent_bits + mantissa_bits) & 1 else 1.0
    exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = bits & ((1 << mantissa_bits) - 1)
    if kind == "Float8_e5m2" and exponent == 31:
        return sign * float("inf")
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)


def bytes_at(address, count):
    return bytes(gdb.selected_inferior().read_memory(address, count))


def integers_at(pointer, count):
    """`count` values of 64 bits."""
    return list(struct.unpack(f"<{count}q", bytes_at(int(pointer), 8 * count))) if count else []


def follow(value):
    """The value that a reference or pointer refers to."""
    while value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF, gdb.TYPE_CODE_PTR):
        value = value.dereference() if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR else value.referenced_value()
    return value


def class_of(value):
    """The name of a value's class, without const and without template arguments."""
    name = value.type.strip_typedefs().unqualified().name or ""
    return name.split("<", 1)[0]


def optional_content(value):
    """The value in a std::optional, or None."""
    payload = value["_M_payload"]
    if not payload["_M_engaged"]:
        return None
    return payload["_M_payload"]["_M_value"]


def tensor_impl(value):
    """The c10::TensorImpl of anything that has one (Tensor, optional, intrusive_ptr, pointers to them), or None."""
    value = follow(value)
    name = class_of(value)
    if name in ("at::Tensor", "at::TensorBase"):
        return tensor_impl(value["impl_"])
    if name == "std::optional":
        content = optional_content(value)
        return None if content is None else tensor_impl(content)
    if name == "c10::intrusive_ptr":
        return tensor_impl(value["p_"].dereference()) if int(value["p_"]) else None
    if name == "c10::TensorImpl":
        return value
    raise gdb.GdbError(f"{value.type} is no tensor")


class TensorFacts:
    """A tensor's shape and type, read from its TensorImpl; elements on demand."""

    def __init__(self, impl):
        self.kind = enumerator(impl["dtype_"])
        self.dtype, self.code = TYPES.get(self.kind, (self.kind, None))
        self.device = enumerator(impl["device_type_"]).lower()
        shape = impl["sas_"]
        n = int(shape["size_"])
        if n > 4096:
            raise gdb.MemoryError("no tensor is there")
        outside = int(shape["outside_"])
        inside = shape["inline_"]
        sizes_at = outside or int(inside[0].address)
        strides_at = outside + 8 * n if outside else int(inside[int(inside.type.range()[1] + 1) // 2].address)
        self.sizes = integers_at(sizes_at, n)
        self.strides = integers_at(strides_at, n)
        self.offset = int(impl["storage_offset_"])
        self.numel = int(impl["numel_"])
        storage = impl["storage_"]["impl_"]["p_"]
        self.data = int(storage["data_"]["data_"]) if int(storage) else 0

    def contiguous(self):
        expected = 1
        for size, stride in zip(reversed(self.sizes), reversed(self.strides)):
            if size != 1 and stride != expected:
                return False
            expected *= size
        return True

    def element(self, offset):
        """The element at index `offset` in the storage."""
        size = struct.calcsize("<" + self.code)
        parts = struct.unpack("<" + self.code, bytes_at(self.data + offset * size, size))
        if len(parts) == 2:
            return f"{parts[0]:.6g}{parts[1]:+.6g}j"
        value = small_float(self.kind, parts[0]) if self.kind.startswith(("BFloat", "Float8")) else parts[0]
        return f"{value:.6g}" if isinstance(value, float) else str(value)

    def readable(self):
        return self.code is not None and self.device == "cpu" and self.data != 0

    def summary(self):
        text = f"{self.dtype}{self.sizes}"
        if self.numel and not self.contiguous():
            text += f" strides={self.strides}"
        if self.device != "cpu":
            text += f" on {self.device}"
        elif not self.sizes and self.readable():
            text += f" = {self.element(self.offset)}"
        return text

    def text(self, limit=1000, edge=3):
        """All elements in nested brackets; for larger tensors, only the edges."""
        everything = self.numel <= limit

        def block(d, offset):
            if d == len(self.sizes):
                return self.element(offset)
            n = self.sizes[d]
            shown = range(n) if everything or n <= 2 * edge else [*range(edge), None, *range(n - edge, n)]
            rows = ["..." if i is None else block(d + 1, offset + i * self.strides[d]) for i in shown]
            return "[" + (", " if d == len(self.sizes) - 1 else ",\n" + " " * (d + 1)).join(rows) + "]"

        return block(0, self.offset)
