"""diffusers: a small U-Net, a training step of a DDPM, and sampling with two schedulers."""

from diffusers import AutoencoderKL, DDIMScheduler, DDPMScheduler, UNet2DModel

import torch

torch.manual_seed(0)
net = UNet2DModel(
    sample_size=16, in_channels=1, out_channels=1, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=8,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"),
)  # fmt: skip
scheduler = DDPMScheduler(num_train_timesteps=50)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
images = torch.randn(4, 1, 16, 16)
losses = []
for _ in range(3):
    noise, steps = torch.randn_like(images), torch.randint(0, 50, (4,))
    loss = torch.nn.functional.mse_loss(net(scheduler.add_noise(images, noise, steps), steps).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print("unet", *losses)
for kind in (DDPMScheduler, DDIMScheduler):
    sampler = kind(num_train_timesteps=50)
    sampler.set_timesteps(5)
    x = torch.randn(1, 1, 16, 16, generator=torch.Generator().manual_seed(1))
    with torch.no_grad():
        for t in sampler.timesteps:
            x = sampler.step(net(x, t).sample, t, x, generator=torch.Generator().manual_seed(2)).prev_sample
    print(kind.__name__, x.abs().mean().item())
vae = AutoencoderKL(in_channels=1, out_channels=1, block_out_channels=(8,), latent_channels=2, norm_num_groups=4, sample_size=16)
print("vae", vae(images).sample.abs().mean().item())
