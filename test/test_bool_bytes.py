"""Bytes viewed as bools: all but 0 are true, as for bools that the library made."""

import pytest

import torch

BYTES = torch.tensor([0, 1, 2, 3, 0, 255, 7, 4] * 20, dtype=torch.uint8)
NUMBERS = torch.arange(160.0)

FUNCTIONS = {
    "and": lambda b, c: b & c,
    "or": lambda b, c: b | c,
    "xor": lambda b, c: b ^ c,
    "not": lambda b, c: ~b,
    "logical_and": torch.logical_and,
    "logical_xor": torch.logical_xor,
    "logical_not": lambda b, c: torch.logical_not(b),
    "eq": torch.eq,
    "ne": torch.ne,
    "lt": torch.lt,
    "ge": torch.ge,
    "equal": torch.equal,
    "mul": lambda b, c: b * c,
    "add": lambda b, c: b + c,
    "maximum": torch.maximum,
    "minimum": torch.minimum,
    "float": lambda b, c: b.float(),
    "int": lambda b, c: b.int(),
    "complex": lambda b, c: b.cfloat(),
    "strided": lambda b, c: b[::3].half(),
    "scalar": lambda b, c: NUMBERS * b[2],
    "item": lambda b, c: b[2].item(),
    "tolist": lambda b, c: b.tolist(),
    "sum": lambda b, c: b.sum(),
    "sum of columns": lambda b, c: b.view(20, 8).sum(0),
    "mean": lambda b, c: b.mean(dtype=torch.float32),
    "prod": lambda b, c: b[1:4].prod(),
    "all": lambda b, c: b.view(20, 8).all(0),
    "all of rows": lambda b, c: b[1:4].all(),
    "any": lambda b, c: b.view(8, 20).any(1),
    "count_nonzero": lambda b, c: b.count_nonzero(),
    "nonzero": lambda b, c: b.nonzero(),
    "index": lambda b, c: NUMBERS[b],
    "index rows": lambda b, c: NUMBERS.view(20, 8)[b[:20]],
    "masked_select": lambda b, c: NUMBERS.double().masked_select(b),
    "masked_fill": lambda b, c: NUMBERS.masked_fill(b, -1),
    "masked_scatter": lambda b, c: NUMBERS.masked_scatter(b, -NUMBERS),
    "where": lambda b, c: torch.where(b, NUMBERS, -1.0),
    "cumsum": lambda b, c: b.cumsum(0),
    "max": lambda b, c: b.max(),
    "sort": lambda b, c: b.int().sort()[0],
    "mode": lambda b, c: b.mode()[0],
    "unique": lambda b, c: b.unique(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_all_bytes_but_zero_are_true(name):
    f = FUNCTIONS[name]
    own = BYTES != 0
    found, expected = f(BYTES.view(torch.bool), own), f(own, own)
    if isinstance(found, torch.Tensor):
        assert found.tolist() == expected.tolist()
    else:
        assert found == expected
