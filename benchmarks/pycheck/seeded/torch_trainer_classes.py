"""Trainer hierarchy: a base loop and an EMA-averaging variant."""
import copy

import torch
from torch import nn


class BaseTrainer:
    def __init__(self, model, optimizer, device):
        self.model = model.to(device)
        self.optimizer = optimizer
        self.device = device
        self.history = []

    def compute_loss(self, batch):
        raise NotImplementedError

    def after_step(self):
        """Hook for subclasses."""

    def fit(self, batches):
        self.model.train()
        for batch in batches:
            loss = self.compute_loss([item.to(self.device) for item in batch])
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.after_step()
            self.history.append(loss.item())
        return self.history


class EMATrainer(BaseTrainer):
    def __init__(self, model, optimizer, device="cpu", decay=0.99):
        super().__init__(model, optimizer)
        self.decay = decay
        self.shadow = copy.deepcopy(model).eval()

    def compute_loss(self, batch):
        inputs, targets = batch
        return nn.functional.mse_loss(self.model(inputs), targets)

    def after_step(self):
        with torch.no_grad():
            for ours, theirs in zip(self.shadow.parameters(), self.model.parameters()):
                ours.mul_(self.decay).add_(theirs, alpha=1 - self.decay)


def batches(count, size):
    for _ in range(count):
        x = torch.randn(size, 3)
        yield x, x.sum(dim=1, keepdim=True)


def main():
    model = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    trainer = EMATrainer(model, optimizer, decay=0.9)
    for step, loss in enumerate(trainer.fit(batches(5, 8))):
        print(step, round(loss, 4))


if __name__ == "__main__":
    main()
