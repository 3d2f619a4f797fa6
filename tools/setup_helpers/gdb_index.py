"""Makes the index of names that gdb reads smaller, in a library that is linked.

    python tools/setup_helpers/gdb_index.py LIBRARY...

Linkers write a list of compilation units for every name, although most names stand in the same units as others do: here equal
lists become one. They also write each instance of a template. Functions whose template arguments are long, like the types of
lambdas, become one name without arguments, in all of their units: gdb finds `cpu_kernel` by it as before, and reads the instances
in those units. Instances of the standard library's functions are left out: nobody stops in them before their unit is read. So are
its types that are made of a lambda's, whose names nobody can write.
The format is that of GDB's manual, appendix "Index Section Format" (version 7).
"""

import os
import re
import shutil
import struct
import sys

SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
SHOFF, SHENTSIZE = 0x28, 0x3A  # places in the header of an ELF file
OFFSET, SIZE, ALIGNMENT = 4, 5, 8  # fields of a section's header
ALLOCATED = 2


FUNCTION = 3  # the kind of a name, in bits 28 to 30 of each of its units
MAX_ARGUMENTS = 40  # bytes of template arguments that someone would write
STANDARD = (b"std::", b"__gnu_cxx::")
LAMBDA = b"<lambda("
BRACKETS = re.compile(rb"<|(?<!-)>")


def without_long_arguments(name: bytes) -> bytes:
    """`f<...>::g` -> `f<>::g`, where the outermost template arguments are long."""
    if len(name) <= MAX_ARGUMENTS or b"operator<" in name or b"operator>" in name or b"operator-" in name:
        return name
    out, done, depth, begin = b"", 0, 0, 0
    for bracket in BRACKETS.finditer(name):
        if bracket[0] == b"<":
            if depth == 0:
                begin = bracket.start()
            depth += 1
        else:
            depth -= 1
            # `::<lambda(int)>` has no arguments.
            if depth == 0 and bracket.end() - begin > MAX_ARGUMENTS and name[begin - 1 : begin] not in (b"", b":", b" "):
                out += name[done:begin] + b"<>"
                done = bracket.end()
    return out + name[done:] if depth == 0 else name


def hash_of(name: bytes) -> int:
    value = 0
    for c in name.lower():
        value = (value * 67 + c - 113) & 0xFFFFFFFF
    return value


def read_names(index: bytes, symbols: int, constants: int) -> dict[bytes, tuple[int, ...]]:
    """The names of an index, with their units."""
    found = {}
    for name_at, units_at in struct.iter_unpack("<2I", index[symbols:constants]):
        if name_at or units_at:
            begin = constants + name_at
            (count,) = struct.unpack_from("<I", index, constants + units_at)
            units = struct.unpack_from(f"<{count}I", index, constants + units_at + 4)
            found[index[begin : index.index(b"\0", begin)]] = units
    return found


def smaller(index: bytes) -> bytes:
    """The same index, in which equal lists of units are one, and so are functions that differ in long template arguments; without
    the standard library's functions and types made of lambdas.

    Unchanged where its version is another one.
    """
    version, *_, symbols, constants = struct.unpack_from("<6I", index)
    if version not in (7, 8):
        return index
    units_of: dict[bytes, tuple[int, ...]] = {}
    for name, units in read_names(index, symbols, constants).items():
        is_function = all(unit >> 28 & 7 == FUNCTION for unit in units)
        if name.startswith(STANDARD) and (is_function or LAMBDA in name):
            continue
        if is_function:
            name = without_long_arguments(name)
        known = units_of.get(name)
        units_of[name] = units if known is None else tuple(sorted({*known, *units}))
    # The lists stand before the names, aligned. A slot is the places of a name and of its list.
    lists, place_of = bytearray(), {}
    in_order = sorted(units_of)
    for units in map(units_of.__getitem__, in_order):
        if units not in place_of:
            place_of[units] = len(lists)
            lists += struct.pack(f"<{1 + len(units)}I", len(units), *units)
    num_slots = 1 << (max(len(units_of), 1) * 4 // 3).bit_length()
    slots, names = [(0, 0)] * num_slots, bytearray()
    for name in in_order:
        value = hash_of(name)
        slot, step = value & num_slots - 1, value * 17 & num_slots - 1 | 1
        while slots[slot] != (0, 0):
            slot = slot + step & num_slots - 1
        slots[slot] = (len(lists) + len(names), place_of[units_of[name]])
        names += name + b"\0"
    table = b"".join(struct.pack("<2I", *slot) for slot in slots)
    header = index[:20] + struct.pack("<I", symbols + len(table))
    return header + index[24:symbols] + table + bytes(lists + names)


def find_index(data: bytes) -> tuple[list[int] | None, list[list[int]]]:
    """The header of the index's section, if the library has one, and those of all sections."""
    (table,) = struct.unpack_from("<Q", data, SHOFF)
    entry_size, count, names_at = struct.unpack_from("<3H", data, SHENTSIZE)
    headers = [list(SECTION_HEADER.unpack_from(data, table + k * entry_size)) for k in range(count)]
    names = headers[names_at][OFFSET]
    found = (h for h in headers if data[names + h[0] : names + h[0] + 11] == b".gdb_index\0" and not h[2] & ALLOCATED)
    return next(found, None), headers


def shrink(path: str) -> int:
    """Rewrites a library's index of names; returns by how many bytes the file is smaller."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:6] != b"\x7fELF\x02\x01":  # 64 bits, little-endian
        return 0
    index, headers = find_index(data)
    if index is None:
        return 0
    start, end = index[OFFSET], index[OFFSET] + index[SIZE]
    content = smaller(data[start:end])
    # Everything behind the index moves. Nothing there is loaded, so nothing refers to its place but the headers.
    behind = sorted((h for h in headers if h[OFFSET] >= end), key=lambda h: h[OFFSET])
    if len(content) >= end - start or any(h[2] & ALLOCATED for h in behind):
        return 0
    out = bytearray(data[:start] + content)
    index[SIZE] = len(content)
    for header in behind:
        out += bytes(-len(out) % max(header[ALIGNMENT], 1))
        begin = header[OFFSET]
        header[OFFSET] = len(out)
        if header[1] != 8:  # SHT_NOBITS has no bytes
            out += data[begin : begin + header[SIZE]]
    out += bytes(-len(out) % 8)
    struct.pack_into("<Q", out, SHOFF, len(out))
    for header in headers:
        out += SECTION_HEADER.pack(*header)
    with open(path + ".smaller", "wb") as file:
        file.write(out)
    shutil.copymode(path, path + ".smaller")
    os.replace(path + ".smaller", path)
    return len(data) - len(out)


if __name__ == "__main__":
    for library in sys.argv[1:]:
        print(f"{library}: {shrink(library):,} bytes less")
