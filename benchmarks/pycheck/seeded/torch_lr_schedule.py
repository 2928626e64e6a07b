"""Compare learning-rate schedules on the same tiny problem."""
import copy

import torch
from torch import nn, optim
from torch.optim import lr_scheduler


def constant(optimizer):
    return lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: 1.0)


def staircase(optimizer):
    return lr_scheduler.StepLR(optimizer, step=3, gamma=0.5)


def cosine(optimizer):
    return lr_scheduler.CosineAnnealingLR(optimizer, T_max=6, eta_min=1e-4)


SCHEDULES = {"constant": constant, "staircase": staircase, "cosine": cosine}


def make_problem(seed=0):
    torch.manual_seed(seed)
    x = torch.linspace(-1, 1, 64).unsqueeze(1)
    y = torch.sin(3 * x) + 0.05 * torch.randn_like(x)
    model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
    return model, x, y


def run(name, epochs):
    base, x, y = make_problem()
    model = copy.deepcopy(base)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    scheduler = SCHEDULES[name](optimizer)
    history = []
    for _ in range(epochs):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        history.append((loss.item(), optimizer.param_groups[0]["lr"]))
    return history


def main():
    for name in SCHEDULES:
        history = run(name, epochs=6)
        final_loss, final_lr = history[-1]
        print(f"{name:>10}: loss {final_loss:.4f} lr {final_lr:.5f}")


if __name__ == "__main__":
    main()
