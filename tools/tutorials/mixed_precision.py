"""Mixed precision: autocast in bfloat16, GradScaler, gradient accumulation and clipping."""

import torch
from torch import nn

torch.manual_seed(0)


def make_model():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 32), nn.LayerNorm(32), nn.ReLU(), nn.Linear(32, 4))


data, targets = [torch.randn(8, 16) for _ in range(4)], [torch.randn(8, 4) for _ in range(4)]
loss_fn = nn.MSELoss()
for use_amp in (False, True):
    net = make_model()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", enabled=use_amp)
    for step, (x, y) in enumerate(zip(data, targets)):
        with torch.autocast(device_type="cpu", dtype=torch.bfloat16, enabled=use_amp):
            output = net(x)
            loss = loss_fn(output.float(), y)
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), max_norm=1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
        print(use_amp, step, output.dtype, f"{loss.item():.3f} {norm.item():.2f}")
    print(scaler.get_scale(), sorted(scaler.state_dict()))
with torch.autocast("cpu", dtype=torch.bfloat16):
    a, b = torch.ones(2, 2), torch.ones(2, 2)
    print(
        (a @ b).dtype,
        (a + b).dtype,
        torch.softmax(a @ b, 0).dtype,
        torch.is_autocast_enabled("cpu"),
        torch.get_autocast_dtype("cpu"),
    )
    with torch.autocast("cpu", enabled=False):
        print((a @ b).dtype)
net, opt = make_model(), None
opt = torch.optim.AdamW(net.parameters(), lr=0.01)
for i, (x, y) in enumerate(zip(data, targets)):
    (loss_fn(net(x), y) / 2).backward()
    if (i + 1) % 2 == 0:
        opt.step()
        opt.zero_grad(set_to_none=True)
print(loss_fn(net(data[0]), targets[0]).item())
