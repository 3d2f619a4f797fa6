"""Makes the index of names that gdb reads smaller, in a library that is linked.

    python tools/setup_helpers/gdb_index.py LIBRARY...

The index has a list of compilation units for each name. Linkers write one for every name, although most names stand in the same
units as others do: here equal lists become one. The format is that of GDB's manual, appendix "Index Section Format" (version 7).
"""

import os
import shutil
import struct
import sys
from array import array

SECTION_HEADER = struct.Struct("<IIQQQQIIQQ")
SHOFF, SHENTSIZE = 0x28, 0x3A  # places in the header of an ELF file
OFFSET, SIZE, ALIGNMENT = 4, 5, 8  # fields of a section's header
ALLOCATED = 2


def with_shared_lists(index: bytes) -> bytes:
    """The same index, in which equal lists of units are one. Unchanged where its version is another one."""
    version, *_, symbols, constants = struct.unpack_from("<6I", index)
    if version not in (7, 8):
        return index
    slots = array("I", index[symbols:constants])
    pool = index[constants:]
    # The lists stand before the names, aligned. A slot is the places of a name and of its list.
    lists, names = bytearray(), bytearray()
    place_of: dict[bytes, int] = {}
    moved: dict[int, int] = {}
    used = [slot for slot in range(0, len(slots), 2) if slots[slot] or slots[slot + 1]]
    for slot in used:
        at = slots[slot + 1]
        if at not in moved:
            (count,) = struct.unpack_from("<I", pool, at)
            units = pool[at : at + 4 + 4 * count]
            if units not in place_of:
                place_of[units] = len(lists)
                lists += units
            moved[at] = place_of[units]
        slots[slot + 1] = moved[at]
    named: dict[int, int] = {}
    for slot in used:
        at = slots[slot]
        if at not in named:
            named[at] = len(lists) + len(names)
            names += pool[at : pool.index(b"\0", at) + 1]
        slots[slot] = named[at]
    return index[:symbols] + slots.tobytes() + bytes(lists + names)


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
    content = with_shared_lists(data[start:end])
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
