"""Pruning: random, by size, structured, global, own methods, and making it permanent."""

import torch
import torch.nn.functional as F
import torch.nn.utils.prune as prune
from torch import nn

torch.manual_seed(0)


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(16 * 5 * 5, 20)
        self.fc3 = nn.Linear(20, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), (2, 2))
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc3(F.relu(self.fc1(x.view(-1, int(x.nelement() / x.shape[0])))))


model = LeNet()
module = model.conv1
print([name for name, _ in module.named_parameters()], list(module.named_buffers()))
prune.random_unstructured(module, name="weight", amount=0.3)
print([name for name, _ in module.named_parameters()], [name for name, _ in module.named_buffers()])
print(float(module.weight.eq(0).sum()) / module.weight.nelement(), module._forward_pre_hooks.__len__())
prune.l1_unstructured(module, name="bias", amount=3)
print(module.bias)
prune.ln_structured(module, name="weight", amount=0.5, n=2, dim=0)
print(module.weight.flatten(1).abs().sum(1))
print([type(hook).__name__ for hook in module._forward_pre_hooks.values()], sorted(model.state_dict())[:4])
prune.remove(module, "weight")
print([name for name, _ in module.named_parameters()], [name for name, _ in module.named_buffers()])

new_model = LeNet()
parameters_to_prune = ((new_model.conv1, "weight"), (new_model.conv2, "weight"), (new_model.fc1, "weight"))
prune.global_unstructured(parameters_to_prune, pruning_method=prune.L1Unstructured, amount=0.2)
zeros = [float(torch.sum(m.weight == 0)) for m, _ in parameters_to_prune]
print(zeros, sum(zeros) / sum(m.weight.nelement() for m, _ in parameters_to_prune))


class FooBarPruningMethod(prune.BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone()
        mask.view(-1)[::2] = 0
        return mask


def foobar_unstructured(module, name):
    FooBarPruningMethod.apply(module, name)
    return module


foobar_unstructured(model.fc3, name="bias")
print(model.fc3.bias_mask, prune.is_pruned(model))
loss = model(torch.randn(2, 1, 32, 32)).square().mean()
loss.backward()
print(loss.item(), model.fc3.bias_orig.grad)
