"""Evaluate a classifier with several metrics over a loader."""
from collections import defaultdict

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Evaluator:
    def __init__(self, model, device="cpu"):
        self.model = model.to(device)
        self.device = device
        self.totals = defaultdict(float)
        self.seen = 0

    def reset(self):
        self.totals.clear()
        self.seen = 0

    def top_k(logits, target, k):
        best = logits.topk(k, dim=1).indices
        return (best == target.unsqueeze(1)).any(dim=1).sum().item()

    def confidence(self, logits):
        return logits.softmax(dim=1).max(dim=1).values.sum().item()

    @torch.no_grad()
    def run(self, loader):
        self.reset()
        self.model.eval()
        for features, target in loader:
            features, target = features.to(self.device), target.to(self.device)
            logits = self.model(features)
            self.totals["confidence"] += self.confidence(logits)
            self.totals["top2"] += self.top_k(logits, target, 2)
            self.seen += target.size(0)
        return {name: value / self.seen for name, value in self.totals.items()}


def make_loader(count=24, features=5, classes=4):
    x = torch.randn(count, features)
    return DataLoader(TensorDataset(x, x[:, :classes].argmax(dim=1)), batch_size=8)


def main():
    torch.manual_seed(0)
    scores = Evaluator(nn.Linear(5, 4)).run(make_loader())
    for name, value in sorted(scores.items()):
        print(f"{name:>12}: {value:.3f}")


if __name__ == "__main__":
    main()
