"""Trainer whose collaborators are created lazily."""
import torch
from torch import nn


class Trainer:
    def __init__(self, lr=0.05):
        self.lr = lr
        self.model = None
        self.optimizer = None
        self.scheduler = None
        self.best = None

    def setup(self, inputs):
        self.model = nn.Linear(inputs, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=self.lr)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, step_size=2)

    def step(self, x, y):
        loss = nn.functional.mse_loss(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.scheduler.step()
        if self.best is None or loss.item() < self.best:
            self.best = loss.item()
        return loss.item()

    def fit(self, x, y, steps):
        if self.model is None:
            self.setup(x.shape[1])
        for index in range(steps):
            print(index, self.step(x, y), self.optimizer.param_groups[0]["lr"])
        print("best {:.4f}".format(self.best))


class Averager:
    total = None

    def add(self, value):
        self.total = value.clone() if self.total is None else self.total + value

    def norm(self):
        return self.total.norm().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    features = torch.randn(16, 3)
    Trainer().fit(features, features.sum(1, keepdim=True), steps=3)
    averager = Averager()
    for row in features:
        averager.add(row)
    print(averager.norm())
