import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class PetsDataset(Dataset):
    """The pictures come from an image library, so they are height x width x colour."""

    def __init__(self, n=60):
        self.images = np.random.rand(n, 64, 64, 3).astype(np.float32)
        self.labels = np.random.randint(0, 2, n)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, idx):
        image = torch.from_numpy(self.images[idx])
        label = int(self.labels[idx])
        return image, label


class CatDogNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 16, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, kernel_size=3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
        )
        self.classifier = nn.Linear(32 * 16 * 16, 2)

    def forward(self, x):
        x = self.features(x)
        x = x.view(x.size(0), -1)
        return self.classifier(x)


def main():
    loader = DataLoader(PetsDataset(), batch_size=10, shuffle=True)
    model = CatDogNet()
    loss_fn = nn.CrossEntropyLoss()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    model.train()
    for images, labels in loader:
        opt.zero_grad()
        out = model(images)
        loss = loss_fn(out, labels)
        loss.backward()
        opt.step()
        print("loss", loss.item())


if __name__ == "__main__":
    main()
