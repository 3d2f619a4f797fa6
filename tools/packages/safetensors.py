"""safetensors: saves and loads tensors of several types, and the state of a module."""

import os
import tempfile

from safetensors import safe_open
from safetensors.torch import load_file, load_model, save_file, save_model

import torch

torch.manual_seed(0)
tensors = {
    "f32": torch.randn(3, 4),
    "bf16": torch.randn(5).bfloat16(),
    "f16": torch.randn(2, 2).half(),
    "i64": torch.arange(6),
    "u8": torch.arange(6, dtype=torch.uint8),
    "bool": torch.tensor([True, False]),
    "f64": torch.randn(2, dtype=torch.float64),
}
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.safetensors")
    save_file(tensors, path, metadata={"format": "pt"})
    loaded = load_file(path)
    print("same", all(torch.equal(loaded[name], tensors[name]) and loaded[name].dtype == tensors[name].dtype for name in tensors))
    with safe_open(path, framework="pt", device="cpu") as file:
        print("slice", file.get_slice("f32")[1:, :2].sum().item(), sorted(file.keys()), file.metadata())
    net, other = (torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.BatchNorm1d(4)) for _ in range(2))
    save_model(net, path)
    load_model(other, path)
    print("model", sum(p.sum().item() for p in other.state_dict().values()))
