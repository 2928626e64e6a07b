import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr):
        self.model = model
        self.criterion = nn.MSELoss()
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)

    def fit(self, batches, epochs):
        for _ in range(epochs):
            self.model.train()
            for x, y in batches:
                loss = self.criterion(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.validate(batches)

    @torch.no_grad()
    def validate(self, batches):
        # add: self.model.eval()
        # told: no-eval-mode
        return [self.criterion(self.model(x), y).item() for x, y in batches]


net = nn.Sequential(nn.Linear(5, 20), nn.BatchNorm1d(20), nn.ReLU(), nn.Linear(20, 1))
Trainer(net, 1e-3).fit([(torch.randn(16, 5), torch.randn(16, 1)) for _ in range(10)], 3)
