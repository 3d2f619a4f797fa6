"""Whole training steps of small networks."""

from cases import Case

import torch
import torch.nn.functional as F
from torch import nn


def _step(model, loss, lr=1e-3):
    opt = torch.optim.AdamW(model.parameters(), lr=lr)

    def step():
        opt.zero_grad()
        loss(model).backward()
        opt.step()

    return step


def _cnn():
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.25),
        nn.Linear(64 * 7 * 7, 10),
    )
    x, y = torch.randn(64, 1, 28, 28), torch.randint(0, 10, (64,))
    return _step(model, lambda m: F.cross_entropy(m(x), y))


class _Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.norm2(x))


class _GPT(nn.Module):
    def __init__(self, vocabulary=96, width=128, layers=4, heads=4, context=128):
        super().__init__()
        self.tokens, self.positions = nn.Embedding(vocabulary, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*(_Block(width, heads) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, x):
        h = self.tokens(x) + self.positions(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(h)))


def _gpt():
    torch.manual_seed(0)
    model = _GPT()
    x, y = torch.randint(0, 96, (8, 128)), torch.randint(0, 96, (8, 128))
    return _step(model, lambda m: F.cross_entropy(m(x).flatten(0, 1), y.flatten()))


class _Residual(nn.Module):
    def __init__(self, i, o, stride):
        super().__init__()
        self.a = nn.Sequential(
            nn.Conv2d(i, o, 3, stride, 1, bias=False),
            nn.BatchNorm2d(o),
            nn.ReLU(),
            nn.Conv2d(o, o, 3, 1, 1, bias=False),
            nn.BatchNorm2d(o),
        )
        self.b = nn.Identity() if i == o else nn.Sequential(nn.Conv2d(i, o, 1, stride, bias=False), nn.BatchNorm2d(o))

    def forward(self, x):
        return F.relu(self.a(x) + self.b(x))


def _resnet():
    torch.manual_seed(0)
    stages = [
        _Residual(i, o, s)
        for i, o, s in (
            (64, 64, 1),
            (64, 64, 1),
            (64, 128, 2),
            (128, 128, 1),
            (128, 256, 2),
            (256, 256, 1),
            (256, 512, 2),
            (512, 512, 1),
        )
    ]
    model = nn.Sequential(
        nn.Conv2d(3, 64, 3, 1, 1, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        *stages,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(512, 10),
    )
    x, y = torch.randn(4, 3, 32, 32), torch.randint(0, 10, (4,))
    return _step(model, lambda m: F.cross_entropy(m(x), y))


def _lstm():
    torch.manual_seed(0)
    model = nn.LSTM(64, 128, num_layers=2, batch_first=True)
    x = torch.randn(16, 32, 64)
    return _step(model, lambda m: m(x)[0].square().mean())


class _Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers, self.head = nn.LSTM(128, 256, num_layers=2), nn.Linear(256, 10)

    def forward(self, x):
        return self.head(self.layers(x)[0][-1])


def _lstm_wide():
    torch.manual_seed(0)
    model = _Sequence()
    x, y = torch.randn(64, 32, 128), torch.randint(0, 10, (32,))
    opt = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        opt.zero_grad()
        F.cross_entropy(model(x), y).backward()
        opt.step()

    return step


CASES = {
    "CNN": Case(_cnn, 1.0),
    "GPT": Case(_gpt, 1.0),
    "ResNet-18": Case(_resnet, 1.0),
    "LSTM": Case(_lstm, 0.77),
    "LSTM, wide": Case(_lstm_wide, 0.77),
}
