"""Random search over learning rate, width and activation."""
import argparse
import random

import torch
from torch import nn

ACTIVATIONS = {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}


def sample_params(rng):
    return {
        "lr": 10 ** rng.uniform(-4, -1),
        "width": rng.choice([8, 16, 32]),
        "activation": rng.choice(sorted(ACTIVATIONS)),
    }


def build(params):
    activation = ACTIVATIONS[params["activation"]]
    return nn.Sequential(
        nn.Linear(4, params["width"]),
        activation(),
        nn.Linear(params["width"], 1),
    )


def objective(params, steps=5):
    torch.manual_seed(0)
    model = build(params)
    optimizer = torch.optim.Adam(model.parameters(), lr=params["lr"])
    x = torch.randn(32, 4)
    y = x.prod(dim=1, keepdim=True)
    loss = torch.tensor(0.0)
    for _ in range(steps):
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def search(trials, seed):
    rng = random.Random(seed)
    best_params = None
    for trial in range(trials):
        params = sample_params(rng)
        loss = objective(params)
        print(f"trial {trial}: loss {loss:.4f} {params}")
        if loss < best_loss:
            best_loss = loss
            best_params = params
    return best_params, best_loss


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    params, loss = search(args.trials, args.seed)
    print("best", params, loss)


if __name__ == "__main__":
    main()
