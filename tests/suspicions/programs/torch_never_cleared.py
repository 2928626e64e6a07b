import torch
from torch import nn


def train(model, loader, criterion, optimizer):
    model.train()
    for x, y in loader:
        # add: optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        # told: no-zero-grad
        optimizer.step()


def main():
    model = nn.Linear(10, 2)
    data = torch.utils.data.TensorDataset(torch.randn(100, 10), torch.randint(0, 2, (100,)))
    loader = torch.utils.data.DataLoader(data, batch_size=10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(5):
        train(model, loader, nn.CrossEntropyLoss(), optimizer)


if __name__ == "__main__":
    main()
