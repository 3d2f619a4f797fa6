"""Gradients of each sample, with vmap and grad; Jacobians and ensembles of models."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, stack_module_state, vjp, vmap

torch.manual_seed(0)


class SimpleCNN(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 3, 1)
        self.fc1 = nn.Linear(4 * 3 * 3, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        return F.log_softmax(self.fc1(torch.flatten(x, 1)), dim=1)


data, targets = torch.randn(6, 1, 8, 8), torch.randint(10, (6,))
model = SimpleCNN()


def compute_grad(sample, target):
    loss = F.nll_loss(model(sample.unsqueeze(0)), target.unsqueeze(0))
    return torch.autograd.grad(loss, list(model.parameters()))


per_sample = [torch.stack(shards) for shards in zip(*[compute_grad(data[i], targets[i]) for i in range(6)])]
params = {k: v.detach() for k, v in model.named_parameters()}
buffers = {k: v.detach() for k, v in model.named_buffers()}


def compute_loss(params, buffers, sample, target):
    predictions = functional_call(model, (params, buffers), (sample.unsqueeze(0),))
    return F.nll_loss(predictions, target.unsqueeze(0))


ft_per_sample = vmap(grad(compute_loss), in_dims=(None, None, 0, 0))(params, buffers, data, targets)
for expected, found in zip(per_sample, ft_per_sample.values()):
    print(found.shape, torch.allclose(expected, found, atol=3e-3, rtol=1e-5), found.flatten(1).norm(dim=1))

weight, bias, x = torch.randn(4, 3), torch.randn(4), torch.randn(3)


def predict(weight, bias, x):
    return F.linear(x, weight, bias).tanh()


print(jacrev(predict, argnums=2)(weight, bias, x))
print(torch.allclose(jacfwd(predict, argnums=2)(weight, bias, x), jacrev(predict, argnums=2)(weight, bias, x), atol=1e-6))
print(hessian(lambda x: predict(weight, bias, x).sum())(x))
out, vjp_fn = vjp(lambda x: predict(weight, bias, x), x)
print(vjp_fn(torch.ones(4)), jvp(lambda x: predict(weight, bias, x), (x,), (torch.ones(3),)))
print(
    vmap(torch.dot)(torch.arange(6.0).view(2, 3), torch.ones(2, 3)),
    vmap(lambda a, b: a + b, in_dims=(0, None), out_dims=1)(torch.eye(3), 1.0),
)

models = [SimpleCNN() for _ in range(3)]
params, buffers = stack_module_state(models)
base = SimpleCNN().to("meta")
predictions = vmap(lambda p, b, x: functional_call(base, (p, b), (x,)), in_dims=(0, 0, None))(params, buffers, data)
print(predictions.shape, torch.allclose(predictions[1], models[1](data), atol=1e-5), predictions.std(0).sum())
noise = vmap(lambda x: x + torch.rand(3), randomness="same")(torch.zeros(2, 3))
print(torch.equal(noise[0], noise[1]))
