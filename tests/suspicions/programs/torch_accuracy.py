import torch
import torch.nn.functional as F
from torch import nn

model = nn.Sequential(nn.Flatten(), nn.Linear(784, 64), nn.ReLU(), nn.Linear(64, 10))
images, labels = torch.randn(256, 1, 28, 28), torch.randint(0, 10, (256,))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)

for step in range(100):
    logits = model(images)
    loss = F.cross_entropy(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    # instead: guess = logits.argmax(dim=1)
    guess = logits.argmax(dim=1, keepdim=True)
    # told: loss-broadcasts
    accuracy = (guess == labels).float().mean()
    print(step, loss.item(), accuracy.item())
