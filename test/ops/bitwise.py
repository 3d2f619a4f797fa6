"""Bits of integers and truth values."""

import numpy as np

import torch
from ops.common import BOOL, INTS, LIB, VALUES, Op, Sample, binary, internal, rand
from ops.shared.two_operands import arithmetic


def shifts(dtype):
    return [Sample(rand(3, 4, dtype=dtype), (torch.tensor([0, 1, 2, 3], dtype=dtype),))]


def operator(name, f, dtypes=INTS + BOOL):
    return Op(
        f"__{name}__",
        binary(),
        f,
        dtypes,
        grad=False,
        call=lambda a, b: getattr(a, f"__{name}__")(b),
        out=False,
    )


def on_copy(name):
    return lambda x, y: getattr(LIB, name)(x.clone(), y)


OPS = [
    arithmetic(
        "bitwise_and",
        np.bitwise_and,
        INTS + BOOL,
        grad=False,
        errors=[(lambda: torch.ones(2) & torch.ones(2), NotImplementedError, "not implemented for 'Float'", VALUES)],
    ),
    arithmetic("bitwise_or", np.bitwise_or, INTS + BOOL, grad=False),
    arithmetic("bitwise_xor", np.bitwise_xor, INTS + BOOL, grad=False),
    arithmetic("bitwise_left_shift", np.left_shift, INTS, make=shifts, grad=False),
    arithmetic("bitwise_right_shift", np.right_shift, INTS, make=shifts, grad=False),
    operator("and", np.bitwise_and),
    operator("or", np.bitwise_or),
    operator("xor", np.bitwise_xor),
    Op("__lshift__", shifts, np.left_shift, INTS, grad=False, call=lambda a, b: a << b, out=False),
    Op("__rshift__", shifts, np.right_shift, INTS, grad=False, call=lambda a, b: a >> b, out=False),
    *(internal(name, lambda dtype: [Sample(rand(3, 4, dtype=dtype), (v,)) for v in (rand(4, dtype=dtype, seed=1), 1)], f, INTS, takes=BOOL, call=on_copy(name), grad=False) for name, f in
      (("__iand__", np.bitwise_and), ("__ior__", np.bitwise_or), ("__ixor__", np.bitwise_xor))),
    *(internal(name, lambda dtype: [*shifts(dtype), Sample(rand(3, dtype=dtype), (1,))], f, INTS, call=on_copy(name), grad=False) for name, f in
      (("__ilshift__", np.left_shift), ("__irshift__", np.right_shift))),
]  # fmt: skip
