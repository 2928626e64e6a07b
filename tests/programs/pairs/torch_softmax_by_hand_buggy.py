"""Attention whose softmax is written out."""

import math

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)
        self.value = nn.Linear(size, size)
        self.size = size

    def forward(self, x):
        queries, keys, values = self.query(x), self.key(x), self.value(x)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(self.size)
        weights = torch.exp(scores)  # NUM
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return weights @ values


class Model(nn.Module):
    def __init__(self, vocabulary=1000, size=64):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size)
        self.attention = Attention(size)
        self.head = nn.Linear(size, vocabulary)

    def forward(self, tokens):
        return self.head(self.attention(self.embedding(tokens)))


model = Model()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4)
tokens = torch.randint(0, 1000, (8, 33))
for step in range(100):
    scores = model(tokens[:, :-1])
    loss = nn.functional.cross_entropy(scores.reshape(-1, 1000), tokens[:, 1:].reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
