"""Transfer learning: fine-tuning all of a network, and only its last layer."""

import copy

import torch
import torch.nn as nn
import torch.optim as optim
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)


def make_data(count, classes, shift):
    labels = torch.arange(count) % classes
    images = torch.randn(count, 3, 16, 16) * 0.5
    for image, label in zip(images, labels):
        image[int(label) % 3] += 1.0 if int(label) < 3 else -1.0
        image[:, shift : shift + 4] += 0.3
    return TensorDataset(images, labels)


class Backbone(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1),
                                      nn.BatchNorm2d(16), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())  # fmt: skip
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.features(x))


def train_model(model, criterion, optimizer, scheduler, loaders, num_epochs):
    best, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            model.train(phase == "train")
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in loaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
            if phase == "train":
                scheduler.step()
            size = len(loaders[phase].dataset)
            epoch_acc = running_corrects.double() / size
            print(f"{epoch} {phase} Loss: {running_loss / size:.4f} Acc: {epoch_acc:.4f}")
            if phase == "val" and epoch_acc > best_acc:
                best_acc, best = epoch_acc, copy.deepcopy(model.state_dict())
    model.load_state_dict(best)
    return model


def loaders(classes, shift):
    return {"train": DataLoader(make_data(120, classes, shift), batch_size=20, shuffle=True),
            "val": DataLoader(make_data(60, classes, shift), batch_size=20)}  # fmt: skip


base = Backbone(6)
criterion = nn.CrossEntropyLoss()
optimizer = optim.SGD(base.parameters(), lr=0.05, momentum=0.9)
base = train_model(base, criterion, optimizer, lr_scheduler.StepLR(optimizer, 7, 0.1), loaders(6, 2), 3)

small = loaders(2, 8)
model_ft = copy.deepcopy(base)
model_ft.fc = nn.Linear(model_ft.fc.in_features, 2)
optimizer_ft = optim.SGD(model_ft.parameters(), lr=0.01, momentum=0.9)
model_ft = train_model(model_ft, criterion, optimizer_ft, lr_scheduler.StepLR(optimizer_ft, 2, 0.1), small, 3)

model_conv = copy.deepcopy(base)
for param in model_conv.parameters():
    param.requires_grad = False
model_conv.fc = nn.Linear(model_conv.fc.in_features, 2)
optimizer_conv = optim.SGD(model_conv.fc.parameters(), lr=0.01, momentum=0.9)
model_conv = train_model(model_conv, criterion, optimizer_conv, lr_scheduler.StepLR(optimizer_conv, 2, 0.1), small, 3)
print(
    sum(p.numel() for p in model_conv.parameters() if p.requires_grad),
    torch.equal(model_conv.features[0].weight, base.features[0].weight),
)
