"""Train with an experiment tracker."""
import argparse

import torch
import wandb
from torch import nn
from tqdm import tqdm


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--project", default="demo")
    args = parser.parse_args()

    run = wandb.init(project=args.project, config=vars(args), mode="offline")
    model = nn.Linear(4, 1)
    wandb.watch(model, log="all")
    optimizer = torch.optim.Adam(model.parameters())
    progress = tqdm(range(args.steps), desc="train", leave=False)
    for step in progress:
        x = torch.randn(8, 4)
        loss = nn.functional.mse_loss(model(x), x.sum(1, keepdim=True))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        progress.set_postfix(loss=loss.item())
        wandb.log({"loss": loss.item()}, step=step)
    run.finish()


if __name__ == "__main__":
    main()
