"""Mean word vectors of sentences of many lengths in PyTorch; each batch is padded on the host."""

import argparse
import random

import numpy as np
import torch
from torch import nn


def make_sentences(count, seed=0):
    source = random.Random(seed)
    return [[source.randrange(1, 500) for _ in range(source.randint(20, 200))] for _ in range(count)]


def pad(sentences):
    longest = max(len(sentence) for sentence in sentences)
    padded = torch.zeros(len(sentences), longest, dtype=torch.long)
    for i, sentence in enumerate(sentences):
        for j, word in enumerate(sentence):
            padded[i, j] = word
    return padded


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--sentences", type=int, default=3000)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    table = nn.Embedding(500, 16, padding_idx=0)
    sentences = make_sentences(args.sentences)
    means = []
    for start in range(0, len(sentences), 100):
        words = pad(sentences[start : start + 100])
        means.append(table(words).sum(1) / (words > 0).sum(1, keepdim=True))
    result = torch.cat(means)
    print(f"mean norm {result.norm(dim=1).mean():.4f}")
    if args.save:
        np.save(args.save, result.numpy())


if __name__ == "__main__":
    main()
