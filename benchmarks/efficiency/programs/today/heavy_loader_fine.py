"""Texture pictures computed on demand by a PyTorch data set, and the mean of each batch."""

import argparse

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Textures(Dataset):
    def __init__(self, count, side):
        self.count, self.side = count, side

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        rng = np.random.default_rng(index)
        picture = rng.standard_normal((self.side, self.side))
        for _ in range(8):
            spectrum = np.fft.fft2(picture)
            spectrum[self.side // 8 :] *= 0.8
            picture = np.real(np.fft.ifft2(spectrum))
        return torch.from_numpy(picture.astype(np.float32))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=int, default=320)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    loader = DataLoader(Textures(args.pictures, 192), batch_size=16, num_workers=2)
    means = []
    for pictures in loader:
        means.append(pictures.square().mean(dim=(1, 2)))
    result = torch.cat(means)
    print(f"mean power {result.mean():.5f}")
    if args.save:
        np.save(args.save, result.numpy())


if __name__ == "__main__":
    main()
