"""Calls operators of the registry with hostile arguments: run by test_hostile_arguments.py, or by hand:

    python test/hostile.py --calls 200 --seed 7 [--only NAME,NAME] [--note FILE]

An operator may refuse an argument with any exception. It must not end the process, read foreign memory (run this under
AddressSanitizer) or hang. Each call is written to --note before it runs, so that a crash can be attributed.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import signal
import sys
import tempfile
import warnings
import zlib

import torch

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]
ODD = [torch.complex64, torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2, torch.uint16, torch.uint32, torch.uint64]
SHAPES = [
    (),
    (1,),
    (5,),
    (0,),
    (3, 4),
    (2, 3),
    (4, 4),
    (2, 0, 3),
    (1, 3, 5, 5),
    (2, 4, 6, 6),
    (2, 3, 4),
    (1, 1, 1, 1, 1, 1),
    (33, 17),
]
NUMBERS = [0, 1, 2, 3, -1, -2, 5, 7, -100, 2**31, -(2**31) - 1, 2**62, 2**63 - 1, -(2**63)]
REALS = [0.0, 1.0, 0.5, -1.0, 2.5, float("nan"), float("inf"), -float("inf"), 1e308, 1e-320]
WORDS = [
    "",
    "mean",
    "sum",
    "none",
    "reflect",
    "constant",
    "same",
    "valid",
    "floor",
    "trunc",
    "amax",
    "tanh",
    "linear",
    "no such",
    "\0",
    "é" * 50,
]
LISTS = [
    [],
    [0],
    [1],
    [-1],
    [2, 3],
    [1, 1],
    [0, 1],
    [-1, -1],
    [3, -7],
    [2, 2, 2],
    [1, 0, 1, 0],
    [2**31] * 2,
    [2**62, 4],
    [2**63 - 1],
    [-(2**63)],
    [1] * 9,
    [3, 3],
    [64],
]
# Operators that wait, end the process by design, or affect later calls.
LEFT_OUT: set[str] = set()


def dtype(rng):
    return rng.choice(FLOATS * 6 + INTS * 3 + ODD)


def tensor(rng):
    kind, shape = dtype(rng), rng.choice(SHAPES)
    if kind.is_floating_point or kind.is_complex:
        x = torch.randn(shape, dtype=torch.float32).to(kind)
    else:
        low, high = rng.choice([(0, 3), (-4, 6), (0, 100)])
        x = torch.randint(low, high, shape, dtype=torch.int64).to(kind)
    way = rng.randrange(12)
    if way == 0 and x.numel():
        x.view(-1)[0] = rng.choice([float("nan"), float("inf")]) if kind.is_floating_point else 1
    elif way == 1 and kind == torch.int64 and x.numel():
        x.view(-1)[-1] = rng.choice([2**62, -(2**63), 2**63 - 1, -1])
    elif way == 2 and x.dim() > 1:
        x = x.transpose(0, -1)
    elif way == 3:
        x = x.expand(rng.choice([2, 3]), *shape)
    elif way == 4 and x.dim() > 0 and x.shape[0] > 2:
        x = x[::2]
    elif way == 5:
        x = x.to("meta")
    elif way == 6 and kind in FLOATS:
        x = x.requires_grad_()
    elif way == 7 and x.dim() == 4:
        x = x.contiguous(memory_format=torch.channels_last)
    elif way == 8:
        x = (
            torch.empty((0, 2**40), dtype=kind)
            if rng.random() < 0.5
            else torch.empty(rng.choice([(2**20, 2**20), (2**31,)]), dtype=kind, device="meta")
        )
    return x


def value(rng, text):
    """An argument for a schema type such as `int[2]?`."""
    if text.endswith("?") and rng.random() < 0.4:
        return None
    text = text.rstrip("?")
    if rng.random() < 0.01:
        return rng.choice([None, "x", 3.5, [], object(), (1, "a"), tensor(rng)])
    if text.startswith("Tensor"):
        if "[" not in text:
            return tensor(rng)
        items = [tensor(rng) for _ in range(rng.choice([0, 1, 2, 2, 3]))]
        if len(items) > 1 and rng.random() < 0.6:
            items = [items[0]] * len(items)
        return [None if "?" in text and rng.random() < 0.3 else x for x in items]
    if text.startswith(("int[", "SymInt[")):
        return rng.choice(NUMBERS) if "[]" not in text and rng.random() < 0.3 else list(rng.choice(LISTS))
    if text.startswith("float["):
        return [rng.choice(REALS) for _ in range(rng.randrange(4))]
    if text.startswith("bool["):
        return [rng.random() < 0.5 for _ in range(int(text[5:-1] or rng.randrange(4)))]
    if text.startswith("Scalar["):
        return [rng.choice(REALS + NUMBERS) for _ in range(rng.randrange(4))]
    plain = {
        "int": lambda: rng.choice(NUMBERS),
        "SymInt": lambda: rng.choice(NUMBERS),
        "float": lambda: rng.choice(REALS + NUMBERS),
        "bool": lambda: rng.random() < 0.5,
        "str": lambda: rng.choice(WORDS),
        "Scalar": lambda: rng.choice(REALS + NUMBERS + [True, 1j]),
        "ScalarType": lambda: dtype(rng),
        "Layout": lambda: rng.choice([torch.strided, torch.sparse_coo]),
        "Device": lambda: torch.device(rng.choice(["cpu", "cpu", "meta", "cuda"])),
        "Generator": lambda: None,
        "MemoryFormat": lambda: rng.choice(
            [torch.contiguous_format, torch.channels_last, torch.preserve_format, torch.channels_last_3d]
        ),
        "Storage": lambda: tensor(rng).untyped_storage(),
        "DeviceIndex": lambda: rng.choice(NUMBERS),
    }
    return plain[text]()


def registry():
    """(name, operator, schema) of every overload, in a fixed order."""
    for full in sorted(torch._C._dispatch_get_all_op_names()):
        space, _, rest = full.partition("::")
        name, _, overload = rest.partition(".")
        if space == "aten" and name not in LEFT_OUT:
            op = getattr(getattr(torch.ops.aten, name), overload or "default")
            yield rest, op, op._schema


def call(op, schema, rng, similar):
    args, kwargs, shared = [], {}, None
    for a in schema.arguments:
        x = value(rng, ARGUMENT_TYPES[a.name, id(schema)])
        if isinstance(x, torch.Tensor) and similar:
            shared = x if shared is None else shared
            if rng.random() < 0.7:
                x = shared
        if a.kwarg_only:
            if a.has_default_value() and rng.random() < 0.6:
                continue
            kwargs[a.name] = x
        elif a.has_default_value() and rng.random() < 0.3:
            break
        else:
            args.append(x)
    return args, kwargs


ARGUMENT_TYPES: dict = {}


def types_of(schema):
    """Reads the argument types from the schema's text."""
    text = str(schema)
    inside = text[text.index("(") + 1 : text.rindex(") -> ")]
    depth, piece, pieces = 0, "", []
    for c in inside + ",":
        depth += (c in "([") - (c in ")]")
        if c == "," and depth == 0:
            pieces.append(piece.strip())
            piece = ""
        else:
            piece += c
    for piece in pieces:
        if piece and piece != "*":
            kind, _, name = piece.partition("=")[0].strip().rpartition(" ")
            mark = kind.find("(")
            plain = kind if mark < 0 else kind[:mark] + kind[kind.index(")") + 1 :]
            ARGUMENT_TYPES[name, id(schema)] = plain


def shown(x):
    if isinstance(x, torch.Tensor):
        return f"<{str(x.dtype)[6:]} {tuple(x.shape)} strides {x.stride()} {x.device}{' grad' if x.requires_grad else ''}>"
    if isinstance(x, list):
        return "[" + ", ".join(map(shown, x)) + "]"
    return repr(x)


def main():
    parse = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parse.add_argument("--calls", type=int, default=30, help="of each overload")
    parse.add_argument("--seed", type=int, default=0)
    parse.add_argument("--only", help="these names, with commas between")
    parse.add_argument("--after", default="", help="start after this one")
    parse.add_argument("--patience", type=float, default=10, help="seconds that one call may take")
    parse.add_argument("--memory", type=float, default=3, help="GiB of address space; 0: no limit")
    parse.add_argument("--note", help="the file that names the call under way")
    args = parse.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(2)
    if args.memory:
        resource.setrlimit(resource.RLIMIT_AS, (int(args.memory * 2**30),) * 2)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process
    note = open(args.note, "w+") if args.note else None
    os.chdir(tempfile.mkdtemp(prefix="hostile"))  # some operators write the file that a word names
    only = set(args.only.split(",")) if args.only else None
    accepted = total = 0
    for name, op, schema in registry():
        if name <= args.after or (only and name not in only and name.split(".")[0] not in only):
            continue
        types_of(schema)
        rng = random.Random(zlib.crc32(f"{args.seed} {name}".encode()))
        for k in range(args.calls):
            arguments, kwargs = call(op, schema, rng, similar=k % 2 == 0)
            if note:
                note.seek(0)
                text = [shown(a) for a in arguments] + [f"{n}={shown(v)}" for n, v in kwargs.items()]
                note.write(f"{name}\n{name}({', '.join(text)})  call {k}\n")
                note.truncate()
                note.flush()
            total += 1
            signal.setitimer(signal.ITIMER_REAL, args.patience)
            try:
                result = op(*arguments, **kwargs)
                accepted += 1
                if k % 3 == 0:
                    repr(result)
                    out = result[0] if isinstance(result, (tuple, list)) and result else result
                    if isinstance(out, torch.Tensor) and out.requires_grad and out.is_floating_point():
                        out.sum().backward()
            except (MemoryError, Exception):
                pass
    print(f"{total} calls, {accepted} accepted")
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
