"""A one-stage detector as YOLO-like packages write it: fused blocks, anchors, distributions over distances, NMS, averages."""

import math
from copy import deepcopy

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


class Conv(nn.Module):
    def __init__(self, c1, c2, k=1, s=1, g=1):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, k // 2, groups=g, bias=False)
        self.bn = nn.BatchNorm2d(c2, eps=0.001, momentum=0.03)
        self.act = nn.SiLU(inplace=True)

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))

    def forward_fuse(self, x):
        return self.act(self.conv(x))


class C2f(nn.Module):
    def __init__(self, c1, c2, n=1):
        super().__init__()
        self.c = c2 // 2
        self.cv1, self.cv2 = Conv(c1, 2 * self.c), Conv((2 + n) * self.c, c2)
        self.m = nn.ModuleList(nn.Sequential(Conv(self.c, self.c, 3), Conv(self.c, self.c, 3)) for _ in range(n))

    def forward(self, x):
        y = list(self.cv1(x).chunk(2, 1))
        y.extend(y[-1] + m(y[-1]) for m in self.m)
        return self.cv2(torch.cat(y, 1))


class DFL(nn.Module):
    def __init__(self, c1=8):
        super().__init__()
        self.conv = nn.Conv2d(c1, 1, 1, bias=False).requires_grad_(False)
        self.conv.weight.data[:] = nn.Parameter(torch.arange(c1, dtype=torch.float).view(1, c1, 1, 1))
        self.c1 = c1

    def forward(self, x):
        b, _, a = x.shape
        return self.conv(x.view(b, 4, self.c1, a).transpose(2, 1).softmax(1)).view(b, 4, a)


def make_anchors(feats, strides, offset=0.5):
    points, sizes = [], []
    for feat, stride in zip(feats, strides):
        h, w = feat.shape[2:]
        sy, sx = torch.meshgrid(torch.arange(h) + offset, torch.arange(w) + offset, indexing="ij")
        points.append(torch.stack((sx, sy), -1).view(-1, 2))
        sizes.append(torch.full((h * w, 1), float(stride)))
    return torch.cat(points), torch.cat(sizes)


class Detector(nn.Module):
    def __init__(self, nc=2, reg_max=8):
        super().__init__()
        self.stem, self.p3, self.p4 = (
            Conv(3, 8, 3, 2),
            nn.Sequential(Conv(8, 16, 3, 2), C2f(16, 16)),
            nn.Sequential(Conv(16, 32, 3, 2), C2f(32, 32)),
        )
        self.box = nn.ModuleList(nn.Sequential(Conv(c, 16, 3), nn.Conv2d(16, 4 * reg_max, 1)) for c in (16, 32))
        self.cls = nn.ModuleList(nn.Sequential(Conv(c, 16, 3), nn.Conv2d(16, nc, 1)) for c in (16, 32))
        self.nc, self.reg_max, self.dfl, self.stride = nc, reg_max, DFL(reg_max), (4, 8)
        for head, s in zip(self.cls, self.stride):
            head[-1].bias.data[:] = math.log(5 / nc / (32 / s) ** 2)

    def forward(self, x):
        p3 = self.p3(self.stem(x))
        feats = [p3, self.p4(p3)]
        raw = torch.cat([torch.cat((b(f), c(f)), 1).flatten(2) for f, b, c in zip(feats, self.box, self.cls)], 2)
        box, cls = raw.split((4 * self.reg_max, self.nc), 1)
        anchors, strides = make_anchors(feats, self.stride)
        lt, rb = self.dfl(box).chunk(2, 1)
        centre = anchors.t()[None]
        return torch.cat((centre - lt, centre + rb), 1) * strides.t(), cls, box

    def fuse(self):
        for m in self.modules():
            if isinstance(m, Conv):
                m.conv = nn.utils.fusion.fuse_conv_bn_eval(m.conv, m.bn)
                del m.bn
                m.forward = m.forward_fuse
        return self


def ciou(a, b, eps=1e-7):
    (ax1, ay1, ax2, ay2), (bx1, by1, bx2, by2) = a.unbind(-1), b.unbind(-1)
    inter = (ax2.minimum(bx2) - ax1.maximum(bx1)).clamp_(0) * (ay2.minimum(by2) - ay1.maximum(by1)).clamp_(0)
    wa, ha, wb, hb = ax2 - ax1, ay2 - ay1 + eps, bx2 - bx1, by2 - by1 + eps
    iou = inter / (wa * ha + wb * hb - inter + eps)
    c2 = (ax2.maximum(bx2) - ax1.minimum(bx1)).pow(2) + (ay2.maximum(by2) - ay1.minimum(by1)).pow(2) + eps
    rho2 = ((bx1 + bx2 - ax1 - ax2).pow(2) + (by1 + by2 - ay1 - ay2).pow(2)) / 4
    v = (4 / math.pi**2) * ((wb / hb).atan() - (wa / ha).atan()).pow(2)
    with torch.no_grad():
        alpha = v / (v - iou + (1 + eps))
    return iou - (rho2 / c2 + v * alpha)


def nms(boxes, scores, threshold):
    kept, order = [], scores.argsort(descending=True)
    while order.numel():
        kept.append(order[0].item())
        lt, rb = torch.max(boxes[order[0], :2], boxes[order[1:], :2]), torch.min(boxes[order[0], 2:], boxes[order[1:], 2:])
        inter = (rb - lt).clamp(min=0).prod(1)
        area = (boxes[:, 2:] - boxes[:, :2]).prod(1)
        order = order[1:][inter / (area[order[0]] + area[order[1:]] - inter) <= threshold]
    return kept


class ModelEMA:
    def __init__(self, model, decay=0.9, tau=10):
        self.ema, self.updates = deepcopy(model).eval(), 0
        self.decay = lambda x: decay * (1 - math.exp(-x / tau))
        for p in self.ema.parameters():
            p.requires_grad_(False)

    def update(self, model):
        self.updates += 1
        d, msd = self.decay(self.updates), model.state_dict()
        for k, v in self.ema.state_dict().items():
            if v.dtype.is_floating_point:
                v *= d
                v += (1 - d) * msd[k].detach()


images = torch.rand(2, 3, 32, 32)
truth = torch.tensor([[4.0, 4.0, 14.0, 16.0], [10.0, 12.0, 28.0, 26.0]])
model = Detector()
ema = ModelEMA(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.937, nesterov=True)
for step in range(5):
    boxes, cls, _ = model(images)
    boxes = boxes.transpose(1, 2)
    inside = ((boxes[..., :2] + boxes[..., 2:]) / 2 - (truth[:, None, :2] + truth[:, None, 2:]) / 2).abs().sum(-1) < 8
    target = torch.zeros_like(cls).scatter_(1, torch.arange(2).view(2, 1, 1).expand(2, 1, cls.shape[2]), inside[:, None].float())
    box_loss = (1 - ciou(boxes, truth[:, None].expand_as(boxes)))[inside].mean()
    loss = 7.5 * box_loss + F.binary_cross_entropy_with_logits(cls, target, reduction="none").sum() / inside.sum()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), max_norm=10.0)
    optimizer.step()
    ema.update(model)
    print(step, loss.item(), box_loss.item(), int(inside.sum()))
with torch.no_grad():
    before = ema.ema(images)[1]
    fused = ema.ema.fuse()
    boxes, cls, _ = fused(images)
    print((cls - before).abs().max().item() < 1e-4, not any(isinstance(m, nn.BatchNorm2d) for m in fused.modules()))
    scores = cls.sigmoid().amax(1)[0]
    kept = nms(boxes[0].t(), scores, 0.5)
    print(len(kept), scores[kept[:3]])
