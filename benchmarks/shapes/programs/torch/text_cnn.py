"""Classify short sentences by convolutions over their words."""

import argparse

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

MAX_LEN = 40
NUM_CLASSES = 6


class TextCNN(nn.Module):
    def __init__(self, vocab_size, embed_dim=64, num_filters=48, kernel_sizes=(3, 4, 5), num_classes=NUM_CLASSES):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv1d(embed_dim, num_filters, k) for k in kernel_sizes])
        self.norm = nn.BatchNorm1d(3 * num_filters)
        self.dropout = nn.Dropout(0.3)
        self.hidden = nn.Linear(3 * num_filters, 32)
        self.out = nn.Linear(32, num_classes)

    def forward(self, tokens):
        x = self.embed(tokens)
        x = x.permute(0, 2, 1)
        pooled = []
        for conv in self.convs:
            h = F.relu(conv(x))
            h = F.max_pool1d(h, h.size(2)).squeeze(2)
            pooled.append(h)
        x = torch.cat(pooled, dim=1)
        x = self.norm(x)
        x = self.dropout(x)
        x = F.relu(self.hidden(x))
        return self.out(x)


def make_data(n, vocab_size, generator):
    lengths = torch.randint(5, MAX_LEN, (n,), generator=generator)
    tokens = torch.randint(1, vocab_size, (n, MAX_LEN), generator=generator)
    mask = torch.arange(MAX_LEN).unsqueeze(0) < lengths.unsqueeze(1)
    tokens = tokens * mask
    labels = torch.randint(0, NUM_CLASSES, (n,), generator=generator)
    return TensorDataset(tokens, labels)


def class_weights(dataset):
    labels = dataset.tensors[1]
    counts = torch.bincount(labels, minlength=NUM_CLASSES).float()
    return counts.sum() / (NUM_CLASSES * counts.clamp(min=1))


def train_epoch(model, loader, criterion, optimizer):
    model.train()
    total = 0.0
    for tokens, labels in loader:
        optimizer.zero_grad()
        logits = model(tokens)
        loss = criterion(logits, labels)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item() * labels.size(0)
    return total / len(loader.dataset)


def evaluate(model, loader):
    model.eval()
    confusion = torch.zeros(NUM_CLASSES, NUM_CLASSES)
    with torch.no_grad():
        for tokens, labels in loader:
            predicted = model(tokens).argmax(dim=1)
            target = F.one_hot(labels, NUM_CLASSES).float()
            guess = F.one_hot(predicted, NUM_CLASSES).float()
            confusion += torch.matmul(target.t(), guess)
    recall = confusion.diag() / confusion.sum(dim=1).clamp(min=1)
    return recall.mean().item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--vocab-size", type=int, default=500)
    args = parser.parse_args()

    generator = torch.Generator().manual_seed(0)
    train_set = make_data(192, args.vocab_size, generator)
    test_set = make_data(64, args.vocab_size, generator)
    train_loader = DataLoader(train_set, batch_size=args.batch_size, shuffle=True)
    test_loader = DataLoader(test_set, batch_size=args.batch_size)

    model = TextCNN(args.vocab_size)
    criterion = nn.CrossEntropyLoss(weight=class_weights(train_set))
    optimizer = optim.AdamW(model.parameters(), lr=2e-3)
    for epoch in range(args.epochs):
        loss = train_epoch(model, train_loader, criterion, optimizer)
        print(f"epoch {epoch} loss {loss:.4f} recall {evaluate(model, test_loader):.3f}")


if __name__ == "__main__":
    main()
