"""Random numbers of one seed are the same in every bit, whatever lies in memory around them."""

from __future__ import annotations

import subprocess
import sys

import torch

PROGRAM = """
import torch
found = set()
for k in range(40):
    # What other operators leave on the stack differs between the rounds.
    torch.full((17,), 10.0 ** (k % 30)).sin()
    torch.manual_seed(101)
    found.add(tuple(v.hex() for v in torch.randn(4, 6).flatten().tolist()))
print(sorted(found))
"""


def test_normal_numbers_in_every_process():
    """Addresses differ between processes, and with them what the stack holds."""
    outputs = {subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True).stdout for _ in range(8)}
    assert len(outputs) == 1 and next(iter(outputs)).count("(") == 1


def test_length_does_not_matter_to_the_first_groups():
    for n in (16, 24, 40, 100):
        torch.manual_seed(5)
        short = torch.randn(n)
        torch.manual_seed(5)
        assert torch.equal(torch.randn(16 * (n // 16))[: n - 16], short[: n - 16])
