"""A bag-of-words classifier in PyTorch trained for several epochs on raw text."""

import argparse
import random
import re

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

WORDS = 400


def make_texts(count, seed=0):
    source = random.Random(seed)
    return [", ".join(f"word{source.randrange(WORDS)}" for _ in range(40)) for _ in range(count)]


def tokenise(text):
    return [int(word[4:]) for word in re.findall(r"[a-z]+\d+", text.lower())]


def train(model, texts, labels, epochs, batch):
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    losses = []
    for epoch in range(epochs):
        order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(epoch))
        codes = torch.tensor([tokenise(text) for text in texts])
        for chosen in order.split(batch):
            loss = F.binary_cross_entropy_with_logits(model(codes[chosen])[:, 0], labels[chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        losses.append(loss.detach())
    return torch.stack(losses)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--save", default="")
    args = parser.parse_args()
    torch.manual_seed(0)
    texts = make_texts(4000)
    labels = torch.tensor([float("word7," in text) for text in texts])
    model = nn.Sequential(nn.EmbeddingBag(WORDS, 16), nn.Linear(16, 1))
    losses = train(model, texts, labels, args.epochs, batch=200)
    print(f"last loss {losses[-1]:.4f}")
    if args.save:
        np.save(args.save, losses.numpy())


if __name__ == "__main__":
    main()
