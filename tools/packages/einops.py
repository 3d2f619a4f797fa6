"""einops: rearrange, reduce, repeat, einsum and layers, with gradients."""

from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce

import torch

torch.manual_seed(0)
x = torch.randn(2, 3, 4, 6, requires_grad=True)
y = rearrange(x, "b c (h p) (w q) -> b (h w) (c p q)", p=2, q=3)
z = reduce(x, "b c h w -> b c", "mean") + reduce(x, "b c (h 2) w -> b c", "max")
r = repeat(z, "b c -> b c n", n=5)
e = einsum(y, torch.randn(18, 7), "b n c, c d -> b n d")
packed, shapes = pack([z, e], "b *")
net = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3, padding=1),
    Rearrange("b c h w -> b (h w) c"),
    EinMix("b t c -> b t d", weight_shape="c d", bias_shape="d", c=4, d=8),
    Reduce("b t d -> b d", "sum"),
)
loss = (y**2).sum() + r.sum() + packed.sin().sum() + net(x).square().sum() + sum(u.sum() for u in unpack(packed, shapes, "b *"))
loss.backward()
print("loss", loss.item())
print("grad", x.grad.abs().sum().item(), net[2].weight.grad.abs().sum().item())
