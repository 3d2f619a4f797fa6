"""A neural radiance field: rays, positional encoding, volume rendering, samples by importance; a small scene."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)


def get_rays(height, width, focal, pose):
    i, j = torch.meshgrid(torch.arange(width, dtype=torch.float32), torch.arange(height, dtype=torch.float32), indexing="xy")
    dirs = torch.stack([(i - width * 0.5) / focal, -(j - height * 0.5) / focal, -torch.ones_like(i)], -1)
    rays_d = torch.sum(dirs[..., None, :] * pose[:3, :3], -1)
    return pose[:3, -1].expand(rays_d.shape), rays_d


def encode(x, levels):
    frequencies = 2.0 ** torch.arange(levels)
    angles = x[..., None, :] * frequencies[:, None]
    return torch.cat([x, torch.cat([angles.sin(), angles.cos()], -1).flatten(-2)], -1)


class Field(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3 + 3 * 8, width), nn.Linear(width, width), nn.Linear(width + 27, width)])
        self.density, self.colour = nn.Linear(width, 1), nn.Linear(width + 3 + 3 * 4, 3)

    def forward(self, points, views):
        x = h = encode(points, 4)
        for k, layer in enumerate(self.layers):
            h = F.relu(layer(torch.cat([h, x], -1) if k == 2 else h))
        return torch.sigmoid(self.colour(torch.cat([h, encode(views, 2)], -1))), self.density(h).squeeze(-1)


def render(field, rays_o, rays_d, z_vals):
    points = rays_o[..., None, :] + rays_d[..., None, :] * z_vals[..., :, None]
    views = F.normalize(rays_d, dim=-1)[..., None, :].expand(points.shape)
    rgb, sigma = field(points, views)
    dists = torch.cat([z_vals[..., 1:] - z_vals[..., :-1], torch.full_like(z_vals[..., :1], 1e10)], -1) * rays_d.norm(
        dim=-1, keepdim=True
    )
    alpha = 1.0 - torch.exp(-F.relu(sigma) * dists)
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[..., :1]), 1.0 - alpha + 1e-10], -1), -1)[..., :-1]
    weights = alpha * trans
    return (weights[..., None] * rgb).sum(-2), weights, (weights * z_vals).sum(-1)


def sample_pdf(bins, weights, count):
    pdf = (weights + 1e-5) / (weights + 1e-5).sum(-1, keepdim=True)
    cdf = torch.cat([torch.zeros_like(pdf[..., :1]), torch.cumsum(pdf, -1)], -1)
    u = torch.rand([*cdf.shape[:-1], count]).contiguous()
    inds = torch.searchsorted(cdf, u, right=True)
    below, above = (inds - 1).clamp(min=0), inds.clamp(max=cdf.shape[-1] - 1)
    cdf_below, cdf_above, bin_below, bin_above = (torch.gather(t, -1, k) for t in (cdf, bins) for k in (below, above))
    denom = cdf_above - cdf_below
    return bin_below + (u - cdf_below) / torch.where(denom < 1e-5, torch.ones_like(denom), denom) * (bin_above - bin_below)


pose = torch.eye(4)
pose[2, 3] = 3.0
rays_o, rays_d = (r.reshape(-1, 3) for r in get_rays(8, 8, 8.0, pose))
target = torch.stack([(rays_d[:, 0] ** 2 + rays_d[:, 1] ** 2 < 0.1).float(), torch.zeros(64), rays_d[:, 1].abs()], -1)
coarse, fine = Field(), Field()
optimizer = torch.optim.Adam([*coarse.parameters(), *fine.parameters()], lr=5e-3)
schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.99)
for step in range(8):
    z = torch.linspace(2.0, 4.0, 12).expand(64, 12)
    mids = 0.5 * (z[..., 1:] + z[..., :-1])
    z = torch.cat([z[..., :1], mids], -1) + torch.rand(64, 12) * 0.16
    rgb, weights, depth = render(coarse, rays_o, rays_d, z)
    more = sample_pdf(mids, weights[..., 1:-1], 8).detach()
    z_all, _ = torch.sort(torch.cat([z, more], -1), -1)
    rgb_fine, _, _ = render(fine, rays_o, rays_d, z_all)
    loss = F.mse_loss(rgb, target) + F.mse_loss(rgb_fine, target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    schedule.step()
    print(step, f"{loss.item():.5f} {-10 * torch.log10(F.mse_loss(rgb_fine, target)).item():.4f} {depth.mean().item():.4f}")
