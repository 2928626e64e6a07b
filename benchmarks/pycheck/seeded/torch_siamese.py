"""Contrastive training of a Siamese encoder on noisy pairs."""
import torch
from torch import nn
from torch.nn import functional as F


def init_weights(module):
    if isinstance(module, nn.Linear):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)


def build_encoder(inputs, sizes, dropout=0.0):
    layers = []
    for size in sizes:
        layers += [nn.Linear(inputs, size), nn.ReLU(), nn.Dropout(dropout)]
        inputs = size
    encoder = nn.Sequential(*layers)
    encoder.apply(init_weights)


def contrastive_loss(left, right, same, margin=1.0):
    distance = F.pairwise_distance(left, right)
    positive = same * distance.pow(2)
    negative = (1 - same) * F.relu(margin - distance).pow(2)
    return (positive + negative).mean()


def make_pairs(count, dims, noise=0.05):
    anchors = torch.randn(count, dims)
    same = (torch.rand(count) > 0.5).float()
    near = anchors + noise * torch.randn_like(anchors)
    far = torch.randn_like(anchors)
    partners = torch.where(same.unsqueeze(1).bool(), near, far)
    return anchors, partners, same


def evaluate(encoder, pairs, threshold=0.5):
    left, right, same = pairs
    with torch.no_grad():
        distance = F.pairwise_distance(encoder(left), encoder(right))
    return ((distance < threshold).float() == same).float().mean().item()


def main(steps=4):
    torch.manual_seed(3)
    encoder = build_encoder(12, (16, 8))
    optimizer = torch.optim.RMSprop(encoder.parameters(), lr=1e-3)
    for step in range(steps):
        left, right, same = make_pairs(16, 12)
        loss = contrastive_loss(encoder(left), encoder(right), same)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print("step", step, "loss", loss.item())
    print("accuracy", evaluate(encoder, make_pairs(32, 12)))


if __name__ == "__main__":
    main()
