"""TensorBoard: scalars, histograms, pictures, text, embeddings, precision-recall curves, hyperparameters; read back."""

import tempfile

import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

torch.manual_seed(0)
folder = tempfile.mkdtemp()
writer = SummaryWriter(folder)
model = nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(5):
    loss = (model(torch.ones(1, 3)) - 1).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    writer.add_scalar("Loss/train", loss, step)
    writer.add_scalars("rates", {"a": step, "b": step**2}, step)
    writer.add_histogram("weight", model.weight, step)
writer.add_image("picture", torch.rand(3, 8, 8))
writer.add_images("pictures", torch.rand(2, 1, 8, 8))
writer.add_text("note", "hello")
writer.add_pr_curve("curve", torch.tensor([1, 0, 1]), torch.tensor([0.9, 0.2, 0.6]))
writer.add_embedding(torch.randn(4, 3), metadata=["a", "b", "c", "d"])
writer.add_hparams({"lr": 0.1, "width": 3}, {"loss": loss.item()})
writer.flush()
writer.close()

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: E402

events = EventAccumulator(folder, size_guidance={"histograms": 0})
events.Reload()
tags = events.Tags()
print(sorted(tags["scalars"]), tags["images"], tags["histograms"])
for event in events.Scalars("Loss/train"):
    print(event.step, event.value)
for event in events.Histograms("weight"):
    value = event.histogram_value
    print(event.step, value.num, value.sum, value.sum_squares, value.min, value.max)
