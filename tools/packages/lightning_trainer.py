"""lightning: a LightningModule with training, validation, a callback and a checkpoint."""

import tempfile

import lightning as L

import torch
from torch.utils.data import DataLoader, TensorDataset


class Net(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.save_hyperparameters()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
        self.losses = []

    def training_step(self, batch, index):
        loss = torch.nn.functional.cross_entropy(self.layers(batch[0]), batch[1])
        self.log("train_loss", loss)
        self.losses.append(loss.item())
        return loss

    def validation_step(self, batch, index):
        self.log("val_loss", torch.nn.functional.cross_entropy(self.layers(batch[0]), batch[1]))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.05)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


L.seed_everything(0)
data = TensorDataset(torch.randn(32, 4), torch.randint(0, 3, (32,)))
with tempfile.TemporaryDirectory() as folder:
    trainer = L.Trainer(
        max_epochs=3, accelerator="cpu", default_root_dir=folder, logger=False, enable_progress_bar=False,
        enable_model_summary=True, gradient_clip_val=0.5,
    )  # fmt: skip
    net = Net()
    trainer.fit(net, DataLoader(data, 8, shuffle=True), DataLoader(data, 16))
    again = Net.load_from_checkpoint(trainer.checkpoint_callback.best_model_path)
    same = all(torch.equal(a, b) for a, b in zip(again.state_dict().values(), net.state_dict().values()))
    print("losses", *net.losses)
    print("end", trainer.callback_metrics["val_loss"].item(), same, trainer.global_step)
