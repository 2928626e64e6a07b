"""Bag-of-embeddings text classifier over a hand-made review set."""
from collections import Counter

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

REVIEWS = [
    ("a wonderful and moving film", 1),
    ("dull plot and wooden acting", 0),
    ("the cast is wonderful", 1),
    ("a dull and endless film", 0),
]


class ReviewDataset(Dataset):
    PAD, UNK = 0, 1

    def __init__(self, reviews, min_count=1):
        self.reviews = reviews
        counts = Counter(word for text, _ in reviews for word in text.split())
        kept = sorted(word for word, count in counts.items() if count >= min_count)
        self.vocab = {word: index + 2 for index, word in enumerate(kept)}

    def __len__(self):
        return len(self.reviews)

    @property
    def size(self):
        return len(self.vocab) + 2

    def encode(self, text):
        return torch.tensor([self.vocabulary.get(word, self.UNK) for word in text.split()])

    def __getitem__(self, index):
        text, label = self.reviews[index]
        return self.encode(text), label


def collate(batch):
    sequences, labels = zip(*batch)
    padded = nn.utils.rnn.pad_sequence(list(sequences), batch_first=True, padding_value=ReviewDataset.PAD)
    return padded, torch.tensor(labels)


class MeanPool(nn.Module):
    def __init__(self, vocab_size, dims):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, dims, padding_idx=ReviewDataset.PAD)
        self.out = nn.Linear(dims, 2)

    def forward(self, ids):
        mask = (ids != ReviewDataset.PAD).unsqueeze(-1).float()
        pooled = (self.embedding(ids) * mask).sum(1) / mask.sum(1)
        return self.out(pooled)


def main():
    dataset = ReviewDataset(REVIEWS)
    loader = DataLoader(dataset, batch_size=2, shuffle=True, collate_fn=collate)
    model = MeanPool(dataset.size, dims=8)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for epoch in range(3):
        for ids, labels in loader:
            loss = nn.functional.cross_entropy(model(ids), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", loss.item())


if __name__ == "__main__":
    main()
