"""Type checkers accept the examples and find the usual mistakes in programs over torch.nn and torch.optim."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ["digits.py", "char_gpt.py", "shapes.py", "diffusion.py", "lora.py"]
BEGIN = """import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor, optim
from torch.optim import lr_scheduler

t = torch.ones(2, 3)
m = nn.Linear(3, 2)
o = optim.SGD(m.parameters(), lr=0.1)
"""
RIGHT = (
    BEGIN
    + """

class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.norm = nn.BatchNorm1d(4)
        self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(3))
        self.tail = nn.Sequential(nn.Conv1d(1, 2, 3, padding="same"), nn.MaxPool1d(2), nn.Flatten())
        self.lstm = nn.LSTM(4, 5, batch_first=True)
        self.attend = nn.MultiheadAttention(4, 2)
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x: Tensor, *, twice: bool = False) -> Tensor:
        x = F.relu(self.norm(self.first(x)), inplace=True)
        for block in self.blocks:
            x = block(x)
        states, (h, c) = self.lstm(x.unsqueeze(0))
        weighed, shares = self.attend(x, x, x)
        return states + h.sum() + weighed.sum() if shares is None or twice else weighed


net = Net()
out: Tensor = net(t, twice=True)
weight: nn.Parameter = net.first.weight
bias: nn.Parameter | None = net.first.bias
pooled: Tensor = F.max_pool2d(t, (2, 2), stride=1)
maxima, places = F.max_pool2d(t, 2, return_indices=True)
same: Net = net.to("cpu").to(torch.float64).half().eval().train(False).requires_grad_(False)
missing: list[str] = net.load_state_dict(net.state_dict(), strict=False).missing_keys
loss: Tensor = nn.CrossEntropyLoss(weight=t, label_smoothing=0.1)(t, t)
step: None = o.step()
value: Tensor = o.step(lambda: loss)
number: float = optim.LBFGS(net.parameters(), line_search_fn="strong_wolfe").step(lambda: 1.0)
optim.AdamW([{"params": net.first.parameters(), "lr": 0.1}, {"params": [weight]}], betas=(0.9, 0.95), fused=False)
optim.Adam(net.named_parameters(), lr=torch.tensor(0.1))
lr_scheduler.SequentialLR(o, [lr_scheduler.LinearLR(o, 0.1), lr_scheduler.CosineAnnealingLR(o, T_max=3)], [5]).step()
lr_scheduler.LambdaLR(o, lambda epoch: 0.9 ** epoch)
norm: Tensor = nn.utils.get_total_norm([t], error_if_nonfinite=True)
packed: nn.utils.rnn.PackedSequence = nn.utils.rnn.pack_sequence([t])
nn.init.kaiming_normal_(nn.init.zeros_(weight), nonlinearity="relu")
item: int | float | bool = t.sum().item()
above: bool = float(t.sum().item()) > 1 and t.sum().item() > 1 and round(t.sum().item()) == 6
maxima_of_windows: Tensor = nn.MaxPool2d(2)(t)
in_one_dimension: Tensor = nn.MaxPool1d(2).forward(t)
common: torch.dtype = torch.result_type(t, 1)
table: nn.Embedding = nn.Embedding.from_pretrained(t, freeze=False)
lazy: Tensor = nn.LazyConv2d(4, 3)(t)
first: nn.Module = nn.Sequential(nn.ReLU(), nn.Tanh())[0]
names: list[str] = [name for name, _ in net.named_parameters()]
nn.Transformer(8, 2, activation=F.gelu).generate_square_subsequent_mask(3)


@torch.no_grad()
def evaluate(model: nn.Module, x: Tensor) -> Tensor:
    y: Tensor = model(x)
    return y


evaluated: Tensor = evaluate(net, t)
"""
)
WRONG = """nn.Linear("a", 3)
nn.Linear(3)
nn.Linear(3, 2, biass=True)
nn.Linear(3, 2, dtype="float32")
nn.Conv2d(1, 2)
nn.Conv2d(1, 2, (3, 3, 3))
nn.Conv2d(1, 2, 3, strides=2)
nn.ConvTranspose2d(1, 2, 3, padding="same")
nn.BatchNorm2d(3, momentum="x")
nn.LayerNorm("a")
nn.GroupNorm(2)
nn.Dropout(rate=0.5)
nn.Embedding(10)
nn.Embedding(10, 3, pad_idx=0)
nn.MaxPool2d(2, strides=2)
nn.AvgPool2d("two")
nn.CrossEntropyLoss(weights=t)
nn.CrossEntropyLoss(reduction=3)
nn.MSELoss(reduce="x")
nn.ReLU(inplace="yes")
nn.Softmax(axis=1)
nn.MultiheadAttention(4)
nn.TransformerEncoderLayer(8, 2, dim_ff=3)
nn.LSTM(3)
nn.LSTM(3, 4, batchfirst=True)
nn.GRU(3, 4, proj_size=2)
nn.Upsample(scale=2)
nn.Sequential("x", 3)
nn.ModuleList(3)
nn.NoSuchLayer(3)
nn.Parameter("x")
F.relu(3)
F.relu(t, in_place=True)
F.softmax(t, axis=1)
F.cross_entropy(t)
F.cross_entropy(t, t, reduction=1)
F.dropout(t, p="x")
F.linear(t)
F.conv2d(t, "w")
F.max_pool2d(t)
F.batch_norm(t)
F.interpolate(t, factor=2)
F.gelu(t, approx="tanh")
F.no_such_function(t)
nn.init.kaiming_normal_(3)
nn.init.xavier_uniform_(t, gains=2)
nn.init.no_such_(t)
nn.utils.clip_grad_norm_(m.parameters())
nn.utils.clip_grad_value_(m.parameters(), "x")
nn.utils.rnn.pad_sequence(3)
nn.utils.no_such
optim.SGD(m.parameters(), lr="x")
optim.SGD(lr=0.1)
optim.SGD(m.parameters(), lr=0.1, momentun=0.9)
optim.SGD(3, lr=0.1)
optim.Adam(m.parameters(), betas=0.9)
optim.NoSuch(m.parameters())
o.step(3)
o.no_such()
lr_scheduler.StepLR(o)
lr_scheduler.StepLR(m, 3)
lr_scheduler.LambdaLR(o, 3)
lr_scheduler.NoSuch(o)
a: int = nn.ReLU()(t)
b: str = F.relu(t)
c: int = m.weight
d: int = m.state_dict()
e: Tensor = m.train()
m(3)
m(t, t)
m.train("x")
m.load_state_dict(3)
m.register_buffer(3, t)
m.eval(True)
m.weight.no_such
g: str = nn.MaxPool2d(2).forward(t)
h: str = t.item()
torch.result_type(t, "x")
f: int = nn.utils.rnn.pad_sequence([t])
""".splitlines()


def mypy(*arguments: str, cwd: Path) -> str:
    pytest.importorskip("mypy", reason="mypy is not installed")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--python-executable", sys.executable]
    done = subprocess.run([*command, *arguments], cwd=cwd, capture_output=True, text=True)
    return done.stdout + done.stderr


def pyright(folder: Path) -> list[tuple[str, int, str]]:
    """(file, line, message) of each error. basedpyright is the pip package of pyright's checker that brings its node."""
    beside = os.path.join(os.path.dirname(sys.executable), "basedpyright")
    program = shutil.which("basedpyright") or (beside if os.path.exists(beside) else None)
    if program is None:
        pytest.skip("basedpyright is not installed")
    settings = {"typeCheckingMode": "standard", "reportMissingImports": False, "reportMissingModuleSource": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [program, "--outputjson", "--pythonpath", sys.executable, "--project", str(folder)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    errors = [d for d in json.loads(done.stdout)["generalDiagnostics"] if d["severity"] == "error"]
    return [(os.path.basename(d["file"]), d["range"]["start"]["line"] + 1, d["message"]) for d in errors]


def unfound(lines: set[int]) -> list[str]:
    first = BEGIN.count("\n") + 1
    return [text for line, text in enumerate(WRONG, first) if line not in lines]


def test_mypy_accepts_the_examples() -> None:
    assert mypy(*[str(ROOT / "examples" / name) for name in EXAMPLES], cwd=ROOT) == ""


def test_mypy_accepts_a_program(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT)
    assert mypy("right.py", cwd=tmp_path) == ""


def test_mypy_finds_mistakes(tmp_path: Path) -> None:
    (tmp_path / "wrong.py").write_text(BEGIN + "\n".join(WRONG) + "\n")
    output = mypy("wrong.py", cwd=tmp_path)
    assert not unfound({int(n) for n in re.findall(r"wrong\.py:(\d+): error", output)})


def test_pyright_accepts_programs_and_finds_mistakes(tmp_path: Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(BEGIN + "\n".join(WRONG) + "\n")
    for name in EXAMPLES:
        shutil.copy(ROOT / "examples" / name, tmp_path)
    errors = pyright(tmp_path)
    assert [e for e in errors if e[0] != "wrong.py"] == []
    assert not unfound({line for name, line, _ in errors if name == "wrong.py"})
