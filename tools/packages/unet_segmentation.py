"""A U-Net that marks shapes: double convolutions, skip connections, the loss of Dice, mixed precision, checkpointing."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)


class DoubleConv(nn.Sequential):
    def __init__(self, inside, outside):
        super().__init__(
            nn.Conv2d(inside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
            nn.Conv2d(outside, outside, 3, padding=1, bias=False), nn.BatchNorm2d(outside), nn.ReLU(inplace=True),
        )  # fmt: skip


class Up(nn.Module):
    def __init__(self, inside, outside, bilinear):
        super().__init__()
        if bilinear:
            self.up = nn.Sequential(
                nn.Upsample(scale_factor=2, mode="bilinear", align_corners=True), nn.Conv2d(inside, inside // 2, 1)
            )
        else:
            self.up = nn.ConvTranspose2d(inside, inside // 2, kernel_size=2, stride=2)
        self.conv = DoubleConv(inside, outside)

    def forward(self, x1, x2):
        x1 = self.up(x1)
        dy, dx = x2.size(2) - x1.size(2), x2.size(3) - x1.size(3)
        x1 = F.pad(x1, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.conv(torch.cat([x2, x1], dim=1))


class UNet(nn.Module):
    def __init__(self, classes, bilinear):
        super().__init__()
        self.inc, self.down1, self.down2 = DoubleConv(1, 8), DoubleConv(8, 16), DoubleConv(16, 32)
        self.up1, self.up2, self.out = Up(32, 16, bilinear), Up(16, 8, bilinear), nn.Conv2d(8, classes, 1)
        self.checkpointing = False

    def forward(self, x):
        run = (lambda f, *a: checkpoint(f, *a, use_reentrant=False)) if self.checkpointing else (lambda f, *a: f(*a))
        x1 = run(self.inc, x)
        x2 = run(self.down1, F.max_pool2d(x1, 2))
        x3 = run(self.down2, F.max_pool2d(x2, 2))
        return self.out(run(self.up2, run(self.up1, x3, x2), x1))


def dice_loss(pred, target, eps=1e-6):
    inter = 2 * (pred * target).sum(dim=(-1, -2))
    union = pred.sum(dim=(-1, -2)) + target.sum(dim=(-1, -2))
    return 1 - ((inter + eps) / (torch.where(union == 0, inter, union) + eps)).mean()


images, masks = torch.rand(4, 1, 22, 26) * 0.5, torch.zeros(4, 22, 26, dtype=torch.long)
for k in range(4):
    masks[k, 3 + k : 12 + k, 5 : 15 + k] = 1
    images[k, 0][masks[k] == 1] += 0.5
for bilinear in (False, True):
    torch.manual_seed(1)
    model = UNet(2, bilinear).to(memory_format=torch.channels_last)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3, weight_decay=1e-8, momentum=0.9, foreach=True)
    for step in range(3):
        model.checkpointing = step == 2
        output = model(images.to(memory_format=torch.channels_last))
        loss = F.cross_entropy(output, masks)
        loss = loss + dice_loss(F.softmax(output, dim=1).float(), F.one_hot(masks, 2).permute(0, 3, 1, 2).float())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(bilinear, step, loss.item())
    model.eval()
    with torch.no_grad():
        print(tuple(model(images).argmax(1).shape), sum(p.numel() for p in model.parameters()))
