"""A classifier of sentences that averages the words that are not padding."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Sentences(nn.Module):
    def __init__(self, vocabulary=5000, size=50, classes=4):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, size, padding_idx=0)
        self.head = nn.Linear(size, classes)

    def forward(self, tokens):
        mask = (tokens != 0).float()
        words = self.embedding(tokens) * mask.unsqueeze(-1)
        count = mask.sum(dim=1, keepdim=True)
        mean = words.sum(dim=1) / count.clamp(min=1)
        return self.head(mean)


def main():
    model = Sentences()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    tokens = torch.randint(0, 5000, (1024, 40))
    labels = torch.randint(0, 4, (1024,))
    for epoch in range(3):
        order = torch.randperm(1024)
        for batch in order.split(64):
            scores = model(tokens[batch])
            loss = F.cross_entropy(scores, labels[batch])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    main()
