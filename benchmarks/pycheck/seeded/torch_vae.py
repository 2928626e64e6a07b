"""Variational autoencoder on binary vectors with a KL warm-up."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Encoder(nn.Module):
    def __init__(self, pixels, hidden, latent):
        super().__init__()
        self.hidden = nn.Linear(pixels, hidden)
        self.mu = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)

    def forward(self, x):
        h = torch.tanh(self.hidden(x))
        return self.mu(h), self.logvar(h)


class VAE(nn.Module):
    def __init__(self, pixels=32, hidden=24, latent=4):
        super().__init__()
        self.encoder = Encoder(pixels, hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.Tanh(), nn.Linear(hidden, pixels))

    @staticmethod
    def reparameterize(mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + torch.randn_like(std) * std

    def forward(self, x):
        mu, logvar = self.encoder(x)
        return self.decoder(self.reparameterize(mu, logvar)), mu, logvar


def elbo(logits, x, mu, logvar, beta):
    bce = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + beta * kld) / x.size(0)


def train(model, loader, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        beta = min(1.0, (epoch + 1) / epochs)
        total = 0.0
        for (x,) in loader:
            optimizer.zero_grad()
            loss = elbo(*_unpack(model, x), beta)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch} beta {beta:.2f} loss {total / len(loader):.3f}")


def _unpack(model, x):
    logits, mu, logvar = model(x)
    return logits, x, mu, logvar


if __name__ == "__main__":
    torch.manual_seed(1)
    vectors = torch.bernoulli(torch.full((32, 32), 0.3))
    train(VAE(), DataLoader(TensorDataset(vectors), batch_size=8), epochs=2)
