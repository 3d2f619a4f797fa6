"""Saving and loading: state_dict, whole models, checkpoints to go on from, warm starts, other devices, mmap, meta."""

import os
import tempfile

import torch
import torch.nn as nn
import torch.optim as optim

folder = tempfile.mkdtemp()
torch.manual_seed(0)


class TheModelClass(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 5)
        self.pool = nn.MaxPool2d(2, 2)
        self.fc1 = nn.Linear(6 * 14 * 14, 10)
        self.norm = nn.BatchNorm1d(10)

    def forward(self, x):
        x = self.pool(torch.relu(self.conv1(x)))
        return self.norm(self.fc1(x.flatten(1)))


model = TheModelClass()
optimizer = optim.SGD(model.parameters(), lr=0.001, momentum=0.9)
x = torch.randn(4, 3, 32, 32)
model(x).square().mean().backward()
optimizer.step()
for param_tensor in model.state_dict():
    print(param_tensor, "\t", model.state_dict()[param_tensor].size())
for var_name, value in optimizer.state_dict().items():
    print(var_name, "\t", type(value).__name__, len(value))

PATH = os.path.join(folder, "model.pt")
torch.save(model.state_dict(), PATH)
other = TheModelClass()
print(other.load_state_dict(torch.load(PATH, weights_only=True)))
print(torch.equal(other.eval()(x), model.eval()(x)), model(x).sum())
torch.save(model, PATH)
whole = torch.load(PATH, weights_only=False)
print(type(whole).__name__, torch.equal(whole(x), model(x)))

torch.save(
    {"epoch": 5, "model_state_dict": model.state_dict(), "optimizer_state_dict": optimizer.state_dict(), "loss": 0.4}, PATH
)
checkpoint = torch.load(PATH, weights_only=True)
optimizer2 = optim.SGD(other.parameters(), lr=1.0)
optimizer2.load_state_dict(checkpoint["optimizer_state_dict"])
print(checkpoint["epoch"], checkpoint["loss"], optimizer2.param_groups[0]["lr"], optimizer2.param_groups[0]["momentum"])
partial = {name: value for name, value in checkpoint["model_state_dict"].items() if not name.startswith("fc1")}
result = other.load_state_dict(partial, strict=False)
print(result.missing_keys, result.unexpected_keys)
try:
    other.load_state_dict(partial)
except RuntimeError as problem:
    print("refused:", "fc1.weight" in str(problem))
print(torch.load(PATH, map_location="cpu", weights_only=True)["model_state_dict"]["norm.running_mean"].sum())
print(torch.load(PATH, map_location="meta", weights_only=True)["model_state_dict"]["fc1.weight"].device)
mapped = torch.load(PATH, mmap=True, weights_only=True)
with torch.device("meta"):
    empty = TheModelClass()
empty.load_state_dict(mapped["model_state_dict"], assign=True)
print(empty.fc1.weight.device, torch.equal(empty.fc1.weight, model.fc1.weight))
try:
    torch.save({"function": os.getcwd}, PATH)
    torch.load(PATH)
except Exception as problem:
    print(type(problem).__name__)
with torch.serialization.safe_globals([TheModelClass]):
    print(TheModelClass in torch.serialization.get_safe_globals())
