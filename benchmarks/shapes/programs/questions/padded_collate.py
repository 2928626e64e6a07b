import random

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

NUM_MFCC = 13
NUM_WORDS = 8


class SpeechCommands(Dataset):
    """Recordings of different lengths, as frames of 13 coefficients."""

    def __init__(self, count=90):
        self.items = []
        for _ in range(count):
            frames = random.randint(40, 80)
            self.items.append((torch.randn(frames, NUM_MFCC), random.randrange(NUM_WORDS)))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(batch):
    batch = sorted(batch, key=lambda item: len(item[0]), reverse=True)
    lengths = torch.tensor([len(x) for x, _ in batch])
    padded = pad_sequence([x for x, _ in batch])
    labels = torch.tensor([y for _, y in batch])
    return padded, lengths, labels


class Recogniser(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.gru = nn.GRU(NUM_MFCC, hidden, num_layers=2, batch_first=True)
        self.fc = nn.Linear(hidden, NUM_WORDS)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        _, h = self.gru(packed)
        return self.fc(h[-1])


loader = DataLoader(SpeechCommands(), batch_size=15, shuffle=True, collate_fn=collate)
model = Recogniser()
optimizer = torch.optim.Adam(model.parameters())
criterion = nn.CrossEntropyLoss()
for x, lengths, labels in loader:
    optimizer.zero_grad()
    loss = criterion(model(x, lengths), labels)
    loss.backward()
    optimizer.step()
    print(loss.item())
