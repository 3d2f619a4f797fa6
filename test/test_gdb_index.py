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
        table[(3 * k + 1) % slots] = (len(pool), at)
        pool += name.encode() + b"\0"
    start = 24 + 8
    symbols = b"".join(struct.pack("<2I", *slot) for slot in table)
    return struct.pack("<6I", 7, 24, 32, 32, 32, start + len(symbols)) + b"unit 0 1" + symbols + bytes(pool)


def read(index):
    """Name -> units."""
    *_, symbols, constants = struct.unpack_from("<6I", index)
    return {name.decode(): units for name, units in gdb_index.read_names(index, symbols, constants).items()}


def found_by_hash(index, name):
    """Whether the table has this name where the format says that readers look for it."""
    *_, symbols, constants = struct.unpack_from("<6I", index)
    num_slots, value = (constants - symbols) // 8, 0
    for c in name.lower().encode():
        value = (value * 67 + c - 113) % 2**32
    slot = value % num_slots
    while True:
        at, units = struct.unpack_from("<2I", index, symbols + 8 * slot)
        if (at, units) == (0, 0):
            return False
        if index[constants + at :].startswith(name.encode() + b"\0"):
            return True
        slot = (slot + (value * 17 % num_slots | 1)) % num_slots


def test_equal_lists_are_one():
    index = made({"at::add": (1, 5), "std::vector<int>": (1, 5), "at::mul": (2,), "c10::Half": (1, 5)})
    smaller = gdb_index.smaller(index)
    assert read(smaller) == read(index) and len(read(index)) == 4
    assert len(index) - len(smaller) == 2 * 12 + 4  # two lists, and the one that nothing uses
    assert gdb_index.smaller(smaller) == smaller
    assert all(found_by_hash(smaller, name) for name in read(index)) and not found_by_hash(smaller, "at::sub")


def test_functions_with_long_template_arguments_are_one():
    kind = {"type": 1 << 28, "function": 3 << 28}
    long = "void (char**, long const*, long, long), at::native::add_kernel()::{lambda()#1}"
    index = made(
        {
            f"cpu_kernel<{long}>": (1 | kind["function"],),
            f"cpu_kernel<{long}, -1>": (2 | kind["function"],),
            f"function_ref<{long}>": (1 | kind["type"],),  # by which gdb looks up the type of a value
            "cpu_kernel<float>": (7 | kind["function"],),
            "std::vector<int>": (3 | kind["type"],),
            "std::vector<int>::size": (3 | kind["function"],),
            "std::remove_reference<f()::<lambda(int)>&>": (3 | kind["type"],),
        }
    )
    assert read(gdb_index.smaller(index)) == {
        "cpu_kernel<>": (1 | kind["function"], 2 | kind["function"]),
        f"function_ref<{long}>": (1 | kind["type"],),
        "cpu_kernel<float>": (7 | kind["function"],),
        "std::vector<int>": (3 | kind["type"],),
    }
    long = long.encode()
    for name, short in [
        (b"f<" + long + b">::g<int>", b"f<>::g<int>"),
        (b"f<int>::g<" + long + b">::~g", b"f<int>::g<>::~g"),
        (b"add_kernel(at::TensorIteratorBase&)::<lambda(std::vector<int, std::allocator<int> >, int)>::operator()", None),
        (b"operator<< <char, std::char_traits<char>, std::allocator<char> >", None),
        (b"S<" + long + b">::operator-><int>", None),
        (b"f<int (*)(long) -> decltype (g()), a_long_argument, another_one>::h", b"f<>::h"),
    ]:
        assert gdb_index.without_long_arguments(name) == (short or name)


def test_other_versions_stay():
    index = bytearray(made({"at::add": (1,), "at::mul": (1,)}))
    index[0] = 6
    assert gdb_index.smaller(bytes(index)) == bytes(index)


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


def test_the_library_has_no_repeated_names():
    """The build makes it so, by tools/setup_helpers/link.py."""
    if not LIBRARY.exists():
        pytest.skip("an installed package is tested")
    data = LIBRARY.read_bytes()
    header, _ = gdb_index.find_index(data)
    if header is None:
        pytest.skip("built without an index")
    index = data[header[gdb_index.OFFSET] : header[gdb_index.OFFSET] + header[gdb_index.SIZE]]
    assert gdb_index.smaller(index) == index
