"""The generated stubs: complete beside the running library, and good for a type checker."""

import ast
import os
import subprocess
import sys

import pytest

import torch

PACKAGE = os.path.dirname(torch.__file__)
PROGRAM = """
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, TensorDataset

x = torch.randn(3, 4, requires_grad=True)
y: Tensor = torch.add(x, 2.0, alpha=2).sum(dim=-1, keepdim=True)
values, indices = x.max(dim=1)
best: Tensor = torch.max(x, 1).values
size: torch.Size = x.shape
rows: int = x.view(-1, 2).size(0)
kind: torch.dtype = torch.float32 if (1 / x + x[0, ..., None]).dtype == x.dtype else torch.int64
parts: tuple[Tensor, ...] = x.unbind(0)
count: int = x.numel()
total: float = float(x.sum())
moved: Tensor = x.to(torch.device("cpu"), dtype=torch.float64, non_blocking=True)
joined: Tensor = torch.cat([x, x], dim=0, out=torch.empty(0))
made: Tensor = torch.zeros(2, 3, dtype=torch.int64, device="cpu") + torch.zeros((2, 3))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(4, 2)
        self.cell: nn.LSTM = nn.LSTM(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return F.relu(self.first(x))


net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
with torch.no_grad():
    out = net(x)
F.cross_entropy(out, torch.tensor([0, 1, 0])).backward()
torch.save(net.state_dict(), "x.pt")
loader = DataLoader(TensorDataset(x), batch_size=2)
"""
WRONG = {
    'torch.add(torch.ones(1), "two")': "call-overload",
    'torch.ones(1).view("a")': "call-overload",
    "torch.zeros(2, nothing=3)": "call-overload",
    "torch.ones(1).no_such_method()": "attr-defined",
    "torch.no_such_function(1)": "attr-defined",
    "n: int = torch.ones(1).sum()": "assignment",
}


def check(tmp_path, text):
    pytest.importorskip("mypy", reason="mypy is not installed")
    path = tmp_path / "program.py"
    path.write_text(text)
    command = [sys.executable, "-m", "mypy", "--python-executable", sys.executable, "--no-error-summary", str(path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    return done.stdout + done.stderr


def names(stub, inside=None):
    with open(os.path.join(PACKAGE, stub)) as f:
        body = ast.parse(f.read()).body
    if inside:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == inside)
    found = set()
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {a.asname or a.name for a in node.names}
    return found


def test_a_program_passes(tmp_path):
    assert check(tmp_path, PROGRAM) == ""


def test_mistakes_are_found(tmp_path):
    errors = check(tmp_path, "import torch\n" + "\n".join(WRONG) + "\n").splitlines()
    for line, code in enumerate(WRONG.values(), 2):
        assert any(f":{line}: error" in s and f"[{code}]" in s for s in errors), errors


def test_every_attribute_of_a_tensor_is_described():
    inherited = set(dir(object))
    missing = set(dir(torch.Tensor)) - names("_C/__init__.pyi", "TensorBase") - inherited
    private = {"__dict__", "__module__", "__reduce_ex__", "__setstate__", "__getstate__", "_reduce_ex_internal"}
    private |= {"_make_subclass", "_make_wrapper_subclass"}
    private |= {"__slotnames__", "__annotations__"}  # where copyreg or inspect was asked about the class before
    assert not missing - private


def test_every_name_of_the_package_is_described():
    described = names("__init__.pyi") | names("_C/__init__.pyi")
    described |= {n for n in dir(torch._globals) if n[0] != "_"}
    public = {n for n in dir(torch) if n[0] != "_"}
    assert not public - described - {"version"}


@pytest.mark.parametrize("stub", ["_C/_VariableFunctions", "_C/_nn", "_C/_linalg", "_C/_special"])
def test_every_function_is_described(stub):
    space = getattr(torch._C, stub[3:])
    real = {n for n in dir(space) if not n.startswith("__")}
    by_hand = names("__init__.pyi") if stub.endswith("Functions") else set()
    assert not real - names(stub + ".pyi") - by_hand - {"_has_compatible_shallow_copy_type", "_parse_to"}
