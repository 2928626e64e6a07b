"""Collect predictions over a validation split and report per-class accuracy."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, per_class, num_classes, dims, seed):
        generator = torch.Generator().manual_seed(seed)
        centers = torch.randn(num_classes, dims, generator=generator) * 3
        self.features = torch.cat(
            [center + torch.randn(per_class, dims, generator=generator) for center in centers]
        )
        self.labels = torch.arange(num_classes).repeat_interleave(per_class)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.features[index], self.labels[index]


def collect(model, loader):
    model.eval()
    outputs, labels = [], []
    with torch.no_grad():
        for features, target in loader:
            outputs.append(model(features))
            labels.append(target)
    return torch.cat(outputs), torch.cat(labels)


def per_class_accuracy(model, loader, num_classes):
    logits, labels = collect(model, loader)
    predictions = logits.argmx(dim=1)
    table = {}
    for cls in range(num_classes):
        mask = labels == cls
        table[cls] = (predictions[mask] == cls).float().mean().item()
    return table


def train(model, loader, epochs=3):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    model.train()
    for _ in range(epochs):
        for features, target in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(features), target).backward()
            optimizer.step()


def main():
    classes = 4
    dataset = Blobs(per_class=10, num_classes=classes, dims=5, seed=0)
    model = nn.Linear(5, classes)
    train(model, DataLoader(dataset, batch_size=10, shuffle=True))
    for cls, value in per_class_accuracy(model, DataLoader(dataset, batch_size=10), classes).items():
        print(f"class {cls}: {value:.2%}")


if __name__ == "__main__":
    main()
