import torch
from torch import nn

backbone = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten())
head = nn.Linear(16, 4)
for p in backbone.parameters():
    p.requires_grad = False
# instead: optimizer = torch.optim.Adam(head.parameters(), lr=1e-3)
optimizer = torch.optim.Adam(backbone.parameters(), lr=1e-3)
for _ in range(10):
    images, labels = torch.randn(8, 3, 32, 32), torch.randint(0, 4, (8,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(head(backbone(images)), labels).backward()
    # told: frozen-parameters-trained
    optimizer.step()
