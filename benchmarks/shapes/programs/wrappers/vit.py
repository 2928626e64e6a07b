"""Train a small vision transformer on random images."""

import torch
from torch import nn, optim
from vit_pytorch.vit import ViT

model = ViT(image_size=32, patch_size=8, num_classes=10, dim=48, depth=2, heads=3, mlp_dim=96, dropout=0.1, dim_head=16)
optimizer = optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for step in range(3):
    images = torch.randn(6, 3, 32, 32)
    labels = torch.randint(0, 10, (6,))
    optimizer.zero_grad()
    logits = model(images)
    loss = criterion(logits, labels)
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}")
