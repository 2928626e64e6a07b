"""The embeddings of a data set, gathered batch by batch in PyTorch."""

import argparse

import numpy as np
import torch
from torch import nn


@torch.no_grad()
def embed(model, images, batch):
    embeddings = torch.empty(0, 64)
    for rows in images.split(batch):
        embeddings = torch.cat([embeddings, model(rows)])
    return embeddings


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=24000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU())
    images = torch.randn(args.images, 32)
    embeddings = embed(model, images, batch=16)
    both_halves = torch.cat([embeddings[:10], embeddings[-10:]])
    print(f"{len(embeddings)} embeddings, mean {both_halves.mean():.4f}")
    if args.save:
        np.save(args.save, embeddings.mean(0).numpy())


if __name__ == "__main__":
    main()
