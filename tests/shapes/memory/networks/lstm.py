import torch
from torch import nn


class Tagger(nn.Module):
    def __init__(self, words=5000, width=128, tags=20):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.lstm = nn.LSTM(width, 256, num_layers=2, batch_first=True)
        self.out = nn.Linear(256, tags)

    def forward(self, x):
        hidden, _ = self.lstm(self.embedding(x))
        return self.out(hidden)


model = Tagger()
optimizer = torch.optim.Adam(model.parameters())
words, tags = torch.randint(0, 5000, (32, 100)), torch.randint(0, 20, (32, 100))
loss_function = nn.CrossEntropyLoss()
for step in range(2):
    optimizer.zero_grad()
    scores = model(words)
    loss = loss_function(scores.view(-1, 20), tags.view(-1))
    loss.backward()
    optimizer.step()
