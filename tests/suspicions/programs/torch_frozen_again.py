import torch
from torch import nn

encoder, decoder = nn.Linear(30, 5), nn.Linear(5, 30)
encoder.requires_grad_(False)
# instead: optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
optimizer = torch.optim.SGD(encoder.parameters(), lr=0.1)
x = torch.randn(10, 30)
for _ in range(10):
    optimizer.zero_grad()
    nn.functional.mse_loss(decoder(encoder(x)), x).backward()
    # told: frozen-parameters-trained
    optimizer.step()
