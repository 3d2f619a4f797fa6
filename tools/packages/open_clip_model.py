"""open_clip: a small CLIP with random weights, its loss and a training step."""

from open_clip import CLIP, ClipLoss

import torch

torch.manual_seed(0)
vision = {"layers": 2, "width": 64, "head_width": 32, "patch_size": 16, "image_size": 32}
text = {"context_length": 12, "vocab_size": 99, "width": 64, "heads": 2, "layers": 2}
model = CLIP(embed_dim=32, vision_cfg=vision, text_cfg=text)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
images, tokens = torch.randn(4, 3, 32, 32), torch.randint(1, 99, (4, 12))
for _ in range(3):
    first, second, scale = model(images, tokens)[:3]
    loss = ClipLoss()(first, second, scale)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
