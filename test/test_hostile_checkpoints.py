"""Checkpoints made to crash the process, or to keep it busy forever: refused quickly, with a short message."""

import io
import pickle
import struct
import subprocess
import sys
import textwrap
import zipfile

import pytest
from surroundings import ROOT

import torch


def archive(program, **records):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a/data.pkl", b"\x80\x02" + program)
        for name, content in {"version": "3", **records}.items():
            file.writestr(f"a/{name}", content)
    return out.getvalue()


def doubled(times, leaf=b")"):
    """A tuple of 2**times leaves, in four bytes and a half for each doubling."""
    return leaf + b"".join(b"q" + bytes([k]) + b"h" + bytes([k]) + b"\x86" for k in range(times))


def doubled_list(times):
    return b"]" + b"".join(b"q%c0](h%ch%ce" % (k, k, k) for k in range(times))


def call(name, argument):
    module, _, function = name.rpartition(".")
    return b"c" + module.encode() + b"\n" + function.encode() + b"\n" + argument + b"\x85R"


def text(word):
    return b"X" + struct.pack("<I", len(word)) + word.encode()


def number(value):
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


DEEP = b")" + b"\x85" * 200_000
FROZEN = b"cbuiltins\nfrozenset\nq\xf00)" + b"q\xf10h\xf0h\xf1\x85\x85R" * 20_000
EQUAL_HASHES = [b"(" + b"".join(number(-1 - (k >> i & 1)) for i in range(16)) + b"t" for k in range(20_000)]
PID = b"(" + text("storage")

PROGRAMS = {
    "deep tuple": DEEP,
    "deep key": b"}" + DEEP + b"Ns",
    "deep member": call("builtins.set", DEEP + b"\x85"),
    "deep lists": b"]" * 200_000 + b"a" * 199_999,
    "deep dicts": b"}" + b"K\x00}" * 100_000 + b"s" * 100_000,
    "marks": b"(" * 200_000,
    "frozensets": FROZEN,
    "frozenset key": b"}" + FROZEN + b"Ns",
    "doubled key": b"}" + doubled(60) + b"Ns",
    "doubled keys": b"}(" + doubled(60) + b"Nu",
    "doubled member": call("builtins.set", doubled(60) + b"\x85"),
    "doubled member of a frozen set": call("builtins.frozenset", doubled(60)),
    "doubled and equal": b"}" + doubled(24) + b"Ns" + doubled(24) + b"Ns",
    "counter": call("collections.Counter", doubled(60)),
    "ordered": call("collections.OrderedDict", doubled(60)),
    "persistent id": PID + doubled(60) + b"tQ",
    "tag": b"(" + doubled(60) + b"tQ",
    "storage class": PID + doubled(60) + text("0") + text("cpu") + b"K\x01tQ",
    "key of a storage": PID + b"ctorch\nFloatStorage\n" + doubled_list(60) + text("cpu") + b"K\x01tQ",
    "size": call("torch.Size", doubled_list(60)),
    "layout": call("torch.serialization._get_layout", doubled_list(60)),
    "device": call("torch.device", doubled(60)),
    "function": doubled(60) + b")R",
    "class": doubled(60) + b")\x81",
    "state": doubled(60) + b"}b",
    "name": b"".join((b"\x8c\x01a", b"\x8c\x01b")) + b"0" + text("x" * 4_000_000) + b"\x93",
    "equal hashes": b"}(" + b"".join(key + b"N" for key in EQUAL_HASHES) + b"u",
    "equal hashes in a set": call("builtins.set", b"](" + b"".join(EQUAL_HASHES) + b"e"),
    "equal integers": b"}(" + b"".join(number(k * (2**61 - 1)) + b"N" for k in range(1, 30_000)) + b"u",
    "copies": text("x" * 100_000) + b"q\x000](" + call("_codecs.encode", b"h\x00") * 20_000 + b"e",
    "storage": call("torch.FloatStorage", number(1 << 32)),
    "storages": b"](" + call("torch.ByteStorage", number(1 << 30)) * 64 + b"e",
    "untyped": call("torch.storage.UntypedStorage", number(1 << 30)),
    "rebuilt by a storage class": b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch\nByteStorage\nctorch\nTensor\n"
    + number(1 << 30)
    + b"\x85NtR",
}


@pytest.fixture(scope="module")
def outcomes():
    """The outcome of every program, in a separate process, because the process may die."""
    code = """
        import io, resource, sys
        sys.path.insert(0, "test")
        resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))
        import faulthandler
        import torch, test_hostile_checkpoints as here
        for name, program in here.PROGRAMS.items():
            print(name, end="\\t", flush=True)
            faulthandler.dump_traceback_later(60, exit=True)
            try:
                torch.load(io.BytesIO(here.archive(program + b".", **{"data/0": bytes(8)})), weights_only=True)
                print("loaded\\t0", flush=True)
            except Exception as problem:
                print(type(problem).__name__, len(str(problem)), sep="\\t", flush=True)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], cwd=ROOT, capture_output=True, text=True)
    found = {line.split("\t")[0]: line.split("\t")[1:] for line in done.stdout.splitlines()}
    return found, done.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_refused_soon(outcomes, name):
    found, errors = outcomes
    assert name in found and len(found[name]) == 2, errors
    kind, length = found[name]
    assert kind in ("UnpicklingError", "RuntimeError", "TypeError", "ValueError"), kind
    assert int(length) < 1000


def test_what_shares_its_parts_is_loaded():
    shared = (1, 2)
    value = {(shared, k): [shared] * 3 for k in range(1000)}
    value["again"], value["set"] = value, {frozenset((shared, k)) for k in range(100)}
    again = torch.load(io.BytesIO(archive(pickle.dumps(value, 4)[2:])))
    assert again[shared, 999] == [shared] * 3 and again["again"] is again and again["set"] == value["set"]


def test_records_that_lie_over_each_other():
    """A thousand names in the directory for one record of a megabyte: a gigabyte of storages."""
    pids = b"".join(PID + b"ctorch\nByteStorage\n" + text(str(k)) + text("cpu") + number(1 << 20) + b"tQ" for k in range(1000))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("a/data.pkl", b"\x80\x02](" + pids + b"e.")
        file.writestr("a/data/0", bytes(1 << 20))
        for k in range(1, 1000):
            info = zipfile.ZipInfo(f"a/data/{k}")
            whole = file.getinfo("a/data/0")
            info.header_offset, info.CRC = whole.header_offset, whole.CRC
            info.file_size = info.compress_size = 1 << 20
            file.filelist.append(info)
    with pytest.raises(RuntimeError, match="lies over others|corrupt"):
        torch.load(io.BytesIO(out.getvalue()))


def test_legacy_storages_are_no_larger_than_the_file():
    values = [torch.zeros(1000) for _ in range(3)]
    out = io.BytesIO()
    torch.save(values, out, _use_new_zipfile_serialization=False)
    data = out.getvalue()
    assert len(torch.load(io.BytesIO(data))) == 3
    with pytest.raises(RuntimeError, match="unexpected EOF"):
        torch.load(io.BytesIO(data[:-8000]))


FUZZER = """
    import faulthandler, io, random, resource, sys, time, zipfile
    sys.path.insert(0, "test")
    resource.setrlimit(resource.RLIMIT_DATA, (6 << 30, 6 << 30))
    import torch, test_hostile_checkpoints as here

    seed, seconds = int(sys.argv[1]), float(sys.argv[2])
    source = random.Random(seed)
    corpus = [program + b"." for program in here.PROGRAMS.values() if len(program) < 10_000]
    for name in ("values", "training"):
        with zipfile.ZipFile(f"test/data/{name}.pth") as file:
            corpus += [next(file.read(item)[2:] for item in file.namelist() if item.endswith("data.pkl"))] * 8
    opcodes = b"(.0NIJKMXU})]telsabRQcqrhj\\x85\\x86\\x87\\x81\\x88\\x89\\x8a\\x8c\\x8f\\x90\\x91\\x93\\x94"

    def mutated(data):
        data = bytearray(data)
        for _ in range(source.choice((1, 1, 2, 4, 16))):
            place, kind = source.randrange(len(data)), source.randrange(5)
            if kind == 0:
                data[place] = source.randrange(256)
            elif kind == 1:
                data[place:place] = bytes([source.choice(opcodes)]) * source.choice((1, 2, 50))
            elif kind == 2:
                del data[place:place + source.randrange(8)]
            elif kind == 3:
                other = source.choice(corpus)
                start = source.randrange(len(other))
                data[place:place] = other[start:start + source.randrange(64)]
            else:
                data[place:place] = data[place:place + source.randrange(64)] * source.choice((1, 3))
            if not data:
                data = bytearray(b".")
        return bytes(data)

    end, runs, loaded = time.monotonic() + seconds, 0, 0
    while time.monotonic() < end and runs < 20000:
        data = mutated(source.choice(corpus))
        faulthandler.dump_traceback_later(30, exit=True)
        try:
            torch.load(io.BytesIO(here.archive(data, **{"data/0": bytes(64), "data/1": bytes(64)})), weights_only=True)
            loaded += 1
        except (MemoryError, SystemError, RecursionError, KeyboardInterrupt) as problem:
            print(seed, runs, data, repr(problem)[:200])
            raise
        except Exception as problem:
            assert len(str(problem)) < 5000, (seed, runs, data)
        runs += 1
    print(runs, loaded)
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_mutations(seed):
    """Mutated pickles are loaded or refused, in a process of its own for a few seconds."""
    command = [sys.executable, "-c", textwrap.dedent(FUZZER), str(seed), "4"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    runs, loaded = map(int, done.stdout.split())
    assert runs > 20
