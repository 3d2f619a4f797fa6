"""The index of names for gdb, which the build makes smaller after linking."""

import os
import shutil
import struct
import subprocess
import sys

import pytest
from surroundings import ROOT

sys.path.insert(0, str(ROOT / "tools" / "setup_helpers"))

import gdb_index  # noqa: E402

LIBRARY = ROOT / "torch" / "lib" / "libtorch_cpu.so"


def made(units_of, slots=8):
    """An index of these names: as linkers write it, with a list for each name."""
    pool, table = bytearray(b"\0" * 4), [(0, 0)] * slots  # a list of no units at 0, which nothing uses
    for k, (name, units) in enumerate(units_of.items()):
        at = len(pool)
        pool += struct.pack(f"<{1 + len(units)}I", len(units), *units)
        table[(3 * k + 1) % slots] = (name, at)
    for k, (name, at) in enumerate(table):
        if name:
            table[k] = (len(pool), at)
            pool += name.encode() + b"\0"
    start = 24 + 8
    symbols = b"".join(struct.pack("<2I", *slot) for slot in table)
    return struct.pack("<6I", 7, 24, 32, 32, 32, start + len(symbols)) + b"unit 0 1" + symbols + bytes(pool)


def read(index):
    """Slot -> (name, units)."""
    *_, symbols, constants = struct.unpack_from("<6I", index)
    pool, found = index[constants:], {}
    for k in range((constants - symbols) // 8):
        name, at = struct.unpack_from("<2I", index, symbols + 8 * k)
        if name or at:
            (count,) = struct.unpack_from("<I", pool, at)
            found[k] = (pool[name : pool.index(b"\0", name)], struct.unpack_from(f"<{count}I", pool, at + 4))
    return found


def test_equal_lists_are_one():
    index = made({"at::add": (1, 5), "std::vector<int>": (1, 5), "at::mul": (2,), "c10::Half": (1, 5)})
    smaller = gdb_index.with_shared_lists(index)
    assert read(smaller) == read(index) and len(read(index)) == 4
    assert len(index) - len(smaller) == 2 * 12 + 4  # two lists, and the one that nothing uses
    assert gdb_index.with_shared_lists(smaller) == smaller


def test_other_versions_stay():
    index = bytearray(made({"at::add": (1,), "at::mul": (1,)}))
    index[0] = 6
    assert gdb_index.with_shared_lists(bytes(index)) == bytes(index)


def test_libraries_keep_everything_else(tmp_path):
    """A library as a linker writes it: its other sections are what they were, and it loads."""
    if not shutil.which("mold") or not shutil.which("g++"):
        pytest.skip("needs g++ and mold")
    source, library = tmp_path / "a.cpp", tmp_path / "liba.so"
    functions = "".join(
        f"template <int N> struct S{k} {{ int x; }}; int f{k}(S{k}<1>* s) {{ return s->x + {k}; }}\n" for k in range(50)
    )
    source.write_text(functions + 'extern "C" int seven() { S0<1> s{7}; return f0(&s); }\n')
    command = ["g++", "-g", "-gsplit-dwarf", "-ggnu-pubnames", "-fPIC", "-shared", "-fuse-ld=mold", "-Wl,--gdb-index"]
    subprocess.run([*command, str(source), "-o", str(library)], check=True, cwd=tmp_path)

    def sections():
        out = subprocess.run(["objdump", "-h", str(library)], capture_output=True, text=True, check=True).stdout
        names = [line.split()[1] for line in out.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
        contents = {}
        for name in names:
            copy = tmp_path / "section"
            done = subprocess.run(["objcopy", "--dump-section", f"{name}={copy}", str(library), os.devnull], capture_output=True)
            contents[name] = copy.read_bytes() if done.returncode == 0 else None
        return contents

    before, size, mode = sections(), library.stat().st_size, library.stat().st_mode
    saved = gdb_index.shrink(str(library))
    after = sections()
    assert saved > 0 and library.stat().st_size == size - saved and library.stat().st_mode == mode
    assert read(after.pop(".gdb_index")) == read(before.pop(".gdb_index")) and after == before
    load = "import ctypes, sys; assert ctypes.CDLL(sys.argv[1]).seven() == 7"
    subprocess.run([sys.executable, "-c", load, str(library)], check=True)
    assert gdb_index.shrink(str(library)) == 0 and os.listdir(tmp_path).count("liba.so.smaller") == 0


def test_the_library_has_no_equal_lists():
    """The build makes it so, by tools/setup_helpers/link.py."""
    if not LIBRARY.exists():
        pytest.skip("an installed package is tested")
    data = LIBRARY.read_bytes()
    header, _ = gdb_index.find_index(data)
    if header is None:
        pytest.skip("built without an index")
    index = data[header[gdb_index.OFFSET] : header[gdb_index.OFFSET] + header[gdb_index.SIZE]]
    assert gdb_index.with_shared_lists(index) == index
