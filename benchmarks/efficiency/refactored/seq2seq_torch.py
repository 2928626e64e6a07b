"""A sequence-to-sequence model with GRU cells that learns to reverse sentences, in PyTorch."""

import argparse
import random

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

PAD, GO = 0, 1


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=int, default=1, help="multiplies the length of a sentence")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--save", default="")
    return parser.parse_args()


def make_sentences(words, longest, count, seed=3):
    source = random.Random(seed)
    return [[source.randrange(2, words) for _ in range(source.randint(longest // 2, longest))] for _ in range(count)]


def collate(sentences, longest):
    """Pads the sentences and their reversals."""
    sources = torch.full((len(sentences), longest), PAD)
    targets = torch.full((len(sentences), longest), PAD)
    for i, sentence in enumerate(sentences):
        sources[i, : len(sentence)] = torch.tensor(sentence)
        targets[i, : len(sentence)] = torch.tensor(sentence[::-1])
    return sources, targets


class Encoder(nn.Module):
    def __init__(self, words, hidden):
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.layer = nn.GRU(hidden, hidden, batch_first=True)

    def forward(self, sources):
        values = self.embedding(sources)
        return self.layer(values)[1][0]


class Decoder(nn.Module):
    def __init__(self, words, hidden):
        super().__init__()
        self.embedding = nn.Embedding(words, hidden)
        self.layer = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, words)

    def forward(self, state, targets):
        """The loss under the true words that come before."""
        values = self.embedding(torch.cat([torch.full_like(targets[:, :1], GO), targets[:, :-1]], dim=1))
        states, _ = self.layer(values, state[None])
        return F.cross_entropy(self.head(states).flatten(0, 1), targets.flatten())

    def greedy(self, state, length):
        word = torch.full((len(state),), GO)
        words = []
        for _ in range(length):
            states, _ = self.layer(self.embedding(word)[:, None], state[None])
            state = states[:, 0]
            word = self.head(state).argmax(1)
            words.append(word)
        return torch.stack(words, dim=1)


def main():
    args = parse_arguments()
    torch.manual_seed(0)
    words, longest, batch = 50, 40 * args.scale, 32
    sentences = make_sentences(words, longest, 400)
    encoder, decoder = Encoder(words, 48), Decoder(words, 48)
    parameters = [*encoder.parameters(), *decoder.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.5)
    chooser, losses = random.Random(1), []
    for _ in range(args.steps):
        sources, targets = collate(chooser.sample(sentences, batch), longest)
        loss = decoder(encoder(sources), targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    with torch.no_grad():
        sources, targets = collate(sentences[:batch], longest)
        accuracy = (decoder.greedy(encoder(sources), longest) == targets).float().mean()
    result = torch.stack([*losses, accuracy]).numpy()
    print(f"loss {result[0]:.4f} to {result[-2]:.4f}, accuracy {result[-1]:.3f}")
    if args.save:
        np.save(args.save, result)


if __name__ == "__main__":
    main()
