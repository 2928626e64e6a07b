"""Synthetic image data."""
import torch
from torch.utils.data import DataLoader, TensorDataset


def make_loader(num_classes, size=16, batch_size=8):
    images = torch.rand(size, 3, 8, 8)
    labels = torch.randint(num_classes, (size,))
    return DataLoader(TensorDataset(images, labels), batch_size=batch_size)
