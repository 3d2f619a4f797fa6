"""A random program: data that every part of the fuzzer shares, and its text as a Python file."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Step:
    """One line of a program: `code` assigns to the names in `outs` (or changes them in place)."""

    code: str
    op: str
    outs: list[str]


@dataclass
class Program:
    """Steps; gradients are computed afterwards if `grads` is set."""

    seed: int
    steps: list[Step] = field(default_factory=list)
    grads: bool = True

    def data(self):
        return {"seed": self.seed, "grads": self.grads, "steps": [[s.code, s.op, s.outs] for s in self.steps]}

    @classmethod
    def of(cls, data):
        return cls(data["seed"], [Step(*s) for s in data["steps"]], data["grads"])

    def without(self, positions):
        kept = [s for i, s in enumerate(self.steps) if i not in positions]
        return Program(self.seed, kept, self.grads)


GRADIENTS = """
def weigh(v):
    w = (torch.arange(v.numel(), dtype=torch.float64).reshape(v.shape) * 7 % 11 - 5) / 4
    parts = [v.real, v.imag] if v.is_complex() else [v]
    return sum((p.double() * w).sum() for p in parts)

found = {n: v for n, v in list(globals().items()) if isinstance(v, torch.Tensor)}
leaves = {n: v for n, v in found.items() if v.is_leaf and v.requires_grad}
results = {n: v for n, v in found.items() if v.requires_grad and not v.is_leaf}
for finite in (True, False):
    picked = [v for v in results.values() if bool(torch.isfinite(v.detach()).all()) == finite]
    if not picked:
        continue
    grads = torch.autograd.grad(sum(map(weigh, picked)), list(leaves.values()), create_graph=True, allow_unused=True)
    print("finite" if finite else "not finite", dict(zip(leaves, grads)))
    again = [g for g in grads if g is not None and g.requires_grad]
    if finite and again:
        twice = torch.autograd.grad(sum(map(weigh, again)), list(leaves.values()), allow_unused=True)
        print("again", dict(zip(leaves, twice)))
"""


def text(program, last_prints=True):
    """The program as a standalone Python file."""
    lines = [
        "import torch",
        "import torch.nn.functional as F",
        "from torch import inf, nan, nn",
        "",
        f"torch.manual_seed({program.seed % 2**31})",
    ]
    lines += [s.code for s in program.steps]
    if last_prints and program.steps:
        for name in program.steps[-1].outs:
            lines.append(f"print({name})")
    if program.grads and any("requires_grad=True" in s.code for s in program.steps):
        lines.append(GRADIENTS.rstrip("\n"))
    return "\n".join(lines) + "\n"
