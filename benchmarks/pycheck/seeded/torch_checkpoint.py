"""Training with resumable checkpoints and a best-model copy."""
import argparse
import random
import shutil
from pathlib import Path

import torch
from torch import nn


def seed_everything(seed):
    random.seed(seed)
    torch.manual_seed(seed)


def build_model(hidden):
    return nn.Sequential(nn.Linear(10, hidden), nn.ReLU(), nn.Linear(hidden, 1))


def fit(model, optimizer, steps):
    total = 0.0
    for _ in range(steps):
        x = torch.randn(8, 10)
        y = x.sum(dim=1, keepdim=True)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / steps


def load_checkpoint(path, model, optimizer):
    state = torch.load(path)
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    return state["epoch"] + 1, state["best"]


def save_checkpoint(state, is_best, directory):
    os.makedirs(directory, exist_ok=True)
    target = Path(directory) / "last.pt"
    torch.save(state, target)
    if is_best:
        shutil.copyfile(target, Path(directory) / "best.pt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--resume", default=None)
    parser.add_argument("--out", default="checkpoints")
    args = parser.parse_args()

    seed_everything(7)
    model = build_model(hidden=16)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    start, best = 0, float("inf")
    if args.resume:
        start, best = load_checkpoint(args.resume, model, optimizer)
    for epoch in range(start, args.epochs):
        loss = fit(model, optimizer, steps=5)
        is_best = loss < best
        best = min(best, loss)
        state = {"epoch": epoch, "best": best, "model": model.state_dict()}
        state["optimizer"] = optimizer.state_dict()
        save_checkpoint(state, is_best, args.out)
        print(f"epoch {epoch}: {loss:.4f}")


if __name__ == "__main__":
    main()
