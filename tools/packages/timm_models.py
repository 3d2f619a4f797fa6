"""timm: models with random weights, a training step each, its optimizers and its losses."""

import timm
from timm.loss import LabelSmoothingCrossEntropy
from timm.optim import create_optimizer_v2
from timm.scheduler import CosineLRScheduler

import torch

for name in ("resnet18", "mobilenetv3_small_050", "efficientnet_b0", "vit_tiny_patch16_224", "convnext_atto", "regnetx_002"):
    torch.manual_seed(0)
    options = {"img_size": 64} if name.startswith("vit") else {}
    model = timm.create_model(name, num_classes=7, **options)
    optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3, weight_decay=0.05)
    scheduler = CosineLRScheduler(optimizer, t_initial=5)
    x, target = torch.randn(2, 3, 64, 64), torch.tensor([1, 5])
    losses = []
    for step in range(2):
        loss = LabelSmoothingCrossEntropy(0.1)(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step(step)
        losses.append(loss.item())
    print(name, sum(p.numel() for p in model.parameters()), *losses)
features = timm.create_model("resnet18", features_only=True)(torch.randn(1, 3, 64, 64))
print("features", [tuple(f.shape) for f in features])
