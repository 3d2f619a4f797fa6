"""A spatial transformer: the network learns where to look, through affine_grid and grid_sample.

It starts beside the identity. At the identity every place is that of a pixel, where the slope of the picture has a jump: there
the last bit of a place decides on the gradient.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

torch.manual_seed(0)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5)
        self.fc1 = nn.Linear(6 * 12 * 12, 4)
        self.localization = nn.Sequential(
            nn.Conv2d(1, 8, kernel_size=7), nn.MaxPool2d(2, stride=2), nn.ReLU(True),
            nn.Conv2d(8, 10, kernel_size=5), nn.MaxPool2d(2, stride=2), nn.ReLU(True),
        )  # fmt: skip
        self.fc_loc = nn.Sequential(nn.Linear(10 * 3 * 3, 32), nn.ReLU(True), nn.Linear(32, 3 * 2))
        self.fc_loc[2].weight.data.zero_()
        self.fc_loc[2].bias.data.copy_(torch.tensor([0.93, 0.02, 0.01, -0.03, 0.95, -0.013], dtype=torch.float))

    def stn(self, x):
        xs = self.localization(x).view(-1, 10 * 3 * 3)
        theta = self.fc_loc(xs).view(-1, 2, 3)
        return F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), align_corners=False)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(self.stn(x)), 2))
        return F.log_softmax(self.fc1(x.flatten(1)), dim=1)


labels = torch.arange(32) % 4
images = torch.rand(32, 1, 28, 28) * 0.2
for image, label in zip(images, labels):
    row, column = divmod(int(label), 2)
    image[0, 4 + 12 * row : 10 + 12 * row, 4 + 12 * column : 10 + 12 * column] += 0.8
model = Net()
optimizer = optim.SGD(model.parameters(), lr=0.05)
for step in range(3):
    optimizer.zero_grad()
    loss = F.nll_loss(model(images), labels)
    loss.backward()
    optimizer.step()
    print(step, loss.item())
with torch.no_grad():
    print(model.stn(images[:1]).mean())
