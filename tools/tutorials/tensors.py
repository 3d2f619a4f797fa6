"""Tensors: making, attributes, indexing, arithmetic, and the bridge to NumPy."""

import numpy as np

import torch

data = [[1, 2], [3, 4]]
x_data = torch.tensor(data)
np_array = np.array(data)
x_np = torch.from_numpy(np_array)
x_ones = torch.ones_like(x_data)
print(f"Ones Tensor: \n {x_ones} \n")
torch.manual_seed(1)
x_rand = torch.rand_like(x_data, dtype=torch.float)
print(f"Random Tensor: \n {x_rand} \n")
shape = (2, 3)
print(f"{torch.rand(shape)}\n{torch.ones(shape)}\n{torch.zeros(shape)}")
tensor = torch.rand(3, 4)
print(f"Shape: {tensor.shape}, Datatype: {tensor.dtype}, Device: {tensor.device}")
if torch.accelerator.is_available():
    tensor = tensor.to(torch.accelerator.current_accelerator())
tensor = torch.ones(4, 4)
print(f"First row: {tensor[0]}, First column: {tensor[:, 0]}, Last column: {tensor[..., -1]}")
tensor[:, 1] = 0
print(tensor)
t1 = torch.cat([tensor, tensor, tensor], dim=1)
print(t1)
y1 = tensor @ tensor.T
y2 = tensor.matmul(tensor.T)
y3 = torch.rand_like(y1)
print(torch.matmul(tensor, tensor.T, out=y3))
z1 = tensor * tensor
z2 = tensor.mul(tensor)
z3 = torch.rand_like(tensor)
print(torch.mul(tensor, tensor, out=z3), torch.equal(y1, y2), torch.equal(z1, z2))
agg = tensor.sum()
agg_item = agg.item()
print(agg_item, type(agg_item))
print(f"{tensor} \n")
tensor.add_(5)
print(tensor)
t = torch.ones(5)
n = t.numpy()
t.add_(1)
print(f"t: {t}, n: {n}")
n = np.ones(5)
t = torch.from_numpy(n)
np.add(n, 1, out=n)
print(f"t: {t}, n: {n}")
x = torch.linspace(0, 1, 5)
print(x[None, :].shape, x.unsqueeze(1).expand(5, 3).shape, x.view(5, 1).squeeze().shape, torch.stack([x, x]).shape)
values, indices = torch.tensor([3.0, 1.0, 2.0]).sort(descending=True)
print(values, indices, torch.where(x > 0.4, x, -x), x[x > 0.4])
print(torch.einsum("ij,kj->ik", torch.arange(6.0).view(2, 3), torch.ones(4, 3)))
print(torch.arange(24).reshape(2, 3, 4).permute(2, 0, 1).stride(), torch.tensor(3.0) + torch.ones(2, dtype=torch.int64))
