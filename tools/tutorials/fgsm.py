"""Adversarial examples by the sign of the gradient."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(42)
images, labels = torch.rand(120, 1, 8, 8) * 0.4, torch.arange(120) % 4
for image, label in zip(images, labels):
    image[0, :, 2 * int(label) : 2 * int(label) + 2] += 0.5


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.fc1 = nn.Linear(8 * 9, 4)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        return F.log_softmax(self.fc1(torch.flatten(x, 1)), dim=1)


model = Net()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(40):
    loss = F.nll_loss(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
model.eval()


def fgsm_attack(image, epsilon, data_grad):
    return torch.clamp(image + epsilon * data_grad.sign(), 0, 1)


def test(epsilon):
    correct, adv_examples = 0, []
    for data, target in zip(images[:40].split(1), labels[:40].split(1)):
        data = data.clone().requires_grad_()
        output = model(data)
        init_pred = output.max(1, keepdim=True)[1]
        if init_pred.item() != target.item():
            continue
        loss = F.nll_loss(output, target)
        model.zero_grad()
        loss.backward()
        perturbed_data = fgsm_attack(data, epsilon, data.grad.data)
        final_pred = model(perturbed_data).max(1, keepdim=True)[1]
        if final_pred.item() == target.item():
            correct += 1
        elif len(adv_examples) < 5:
            adv_examples.append((init_pred.item(), final_pred.item()))
    print(f"Epsilon: {epsilon}\tTest Accuracy = {correct} / 40 {adv_examples}")


for eps in [0, 0.05, 0.1, 0.15, 0.2, 0.3]:
    test(eps)
