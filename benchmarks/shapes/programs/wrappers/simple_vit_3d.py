"""Train a small vision transformer on random clips."""

import torch
from torch import nn, optim
from vit_pytorch.simple_vit_3d import SimpleViT

model = SimpleViT(
    image_size=32, image_patch_size=8, frames=4, frame_patch_size=2, num_classes=10, dim=48, depth=2, heads=3,
    mlp_dim=96, dim_head=16,
)  # fmt: skip
optimizer = optim.Adam(model.parameters(), lr=1e-3)
criterion = nn.CrossEntropyLoss()

for step in range(3):
    clips = torch.randn(6, 3, 4, 32, 32)
    labels = torch.randint(0, 10, (6,))
    optimizer.zero_grad()
    loss = criterion(model(clips), labels)
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.3f}")
