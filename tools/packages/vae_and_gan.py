"""A variational autoencoder, a GAN with the penalty of its critic's gradient, and a vector-quantized autoencoder."""

import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
data = torch.sigmoid(torch.randn(64, 2) @ torch.randn(2, 16) * 2)


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.fc21, self.fc22, self.fc3, self.fc4 = (
            nn.Linear(*s) for s in ((16, 32), (32, 3), (32, 3), (3, 32), (32, 16))
        )

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def forward(self, x):
        h1 = F.relu(self.fc1(x))
        mu, logvar = self.fc21(h1), self.fc22(h1)
        return torch.sigmoid(self.fc4(F.relu(self.fc3(self.reparameterize(mu, logvar))))), mu, logvar


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(8):
    recon, mu, logvar = model(data)
    BCE = F.binary_cross_entropy(recon, data, reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    optimizer.zero_grad()
    (BCE + KLD).backward()
    optimizer.step()
    print("VAE", epoch, BCE.item(), KLD.item())

G = nn.Sequential(nn.Linear(4, 32), nn.LeakyReLU(0.2), nn.Linear(32, 16), nn.Sigmoid())
D = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
opt_G, opt_D = (torch.optim.Adam(net.parameters(), lr=1e-3, betas=(0.5, 0.9)) for net in (G, D))
for step in range(6):
    for _ in range(3):
        fake = G(torch.randn(64, 4)).detach()
        alpha = torch.rand(64, 1)
        between = (alpha * data + (1 - alpha) * fake).requires_grad_(True)
        gradients = torch.autograd.grad(D(between).sum(), between, create_graph=True, retain_graph=True)[0]
        penalty = ((gradients.norm(2, dim=1) - 1) ** 2).mean()
        d_loss = D(fake).mean() - D(data).mean() + 10 * penalty
        opt_D.zero_grad()
        d_loss.backward()
        opt_D.step()
    g_loss = -D(G(torch.randn(64, 4))).mean()
    opt_G.zero_grad()
    g_loss.backward()
    opt_G.step()
    print("GAN", step, d_loss.item(), g_loss.item(), penalty.item())


class VectorQuantizer(nn.Module):
    def __init__(self, num, dim):
        super().__init__()
        self.embedding = nn.Embedding(num, dim)
        nn.init.uniform_(self.embedding.weight, -1 / num, 1 / num)

    def forward(self, x):
        weight = self.embedding.weight
        distances = x.pow(2).sum(1, keepdim=True) + weight.pow(2).sum(1) - 2 * x @ weight.t()
        indices = distances.argmin(1)
        one_hot = torch.zeros(len(x), len(weight)).scatter_(1, indices[:, None], 1)
        quantized = one_hot @ weight
        loss = F.mse_loss(quantized.detach(), x) * 0.25 + F.mse_loss(quantized, x.detach())
        probs = one_hot.mean(0)
        return x + (quantized - x).detach(), loss, torch.exp(-torch.sum(probs * torch.log(probs + 1e-10)))


encoder, quantizer, decoder = nn.Linear(16, 4), VectorQuantizer(8, 4), nn.Linear(4, 16)
params = [*encoder.parameters(), *quantizer.parameters(), *decoder.parameters()]
optimizer = torch.optim.AdamW(params, lr=1e-2)
for step in range(5):
    quantized, vq_loss, perplexity = quantizer(encoder(data))
    loss = F.mse_loss(decoder(quantized), data) + vq_loss
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print("VQ", step, loss.item(), perplexity.item())
