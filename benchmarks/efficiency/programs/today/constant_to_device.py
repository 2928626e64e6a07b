"""Token values with position codes added on the device, in PyTorch."""

import argparse

import numpy as np
import torch
from torch import nn


def position_codes(length, width):
    places = np.arange(length)[:, None] / 10000 ** (np.arange(width)[None, :] / width)
    return np.sin(places).astype(np.float32)


@torch.no_grad()
def run(model, batches, codes, device):
    sums = []
    for batch in batches:
        places = torch.tensor(codes).to(device)
        values = batch.to(device) + places[: batch.shape[1]]
        sums.append(model(values[:, 0]).sum())
    return torch.stack(sums)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batches", type=int, default=200)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    batches = torch.randn(args.batches, 1, 64, 256).unbind()
    model = nn.Linear(256, 8).to(device)
    result = run(model, batches, position_codes(4096, 256), device)
    print(f"sum of all {result.sum():.4f}")
    if args.save:
        np.save(args.save, result.cpu().numpy())


if __name__ == "__main__":
    main()
