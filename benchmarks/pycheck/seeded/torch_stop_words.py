"""Skip-gram embeddings with negative sampling and a stop-word filter."""
import random

import torch
from torch import nn

CORPUS = "the cat sat on the mat while the dog ran in the park and the cat slept".split()
STOP_WORDS = frozenset({"the", "on", "in", "and", "while"})


def build_vocab(words):
    kept = sorted({word for word in words if word not in STOP_WORDS})
    return {word: index for index, word in enumerate(kept)}


def skip_grams(words, vocab, window):
    ids = [vocab[word] for word in words if word in vocab]
    for position, center in enumerate(ids):
        for other in range(max(0, position - window), min(len(ids), position + window + 1)):
            if other != position:
                yield center, ids[other]


class SkipGram(nn.Module):
    def __init__(self, vocab_size, dims):
        super().__init__()
        self.center = nn.Embedding(vocab_size, dims)
        self.context = nn.Embedding(vocab_size, dims)

    def forward(self, centers, contexts):
        return (self.center(centers) * self.context(contexts)).sum(dim=1)


def negatives(pairs, vocab_size, rng):
    return [(center, rng.randrange(vocab_size)) for center, _ in pairs]


def train(epochs=3, dims=8, seed=0):
    rng = random.Random(seed)
    torch.manual_seed(seed)
    vocab = build_vocab(CORPUS)
    pairs = list(skip_grams(CORPUS, vocab, window=2))
    model = SkipGram(len(vocab), dims)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.1)
    losses = []
    for _ in range(epochs):
        fake = negatives(pairs, len(vocab), rng)
        indices = torch.tensor(pairs + fake)
        labels = torch.tensor([1.0] * len(pairs) + [0.0] * len(fake))
        logits = model(indices[:, 0], indices[:, 1])
        loss = nn.functional.binary_cross_entropy_with_logits(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    print("trained for", losses.shape[0], "epochs; last loss", losses[-1])
    return model, vocab


if __name__ == "__main__":
    train()
