import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class ReviewDataset(Dataset):
    """Every review is a list of word numbers, cut or padded to 40."""

    def __init__(self, n_reviews, vocab_size, length=40):
        self.reviews = torch.zeros(n_reviews, length)
        for i in range(n_reviews):
            n_words = 10 + i % 30
            self.reviews[i, :n_words] = torch.randint(1, vocab_size, (n_words,)).float()
        self.sentiments = torch.randint(0, 2, (n_reviews,))

    def __len__(self):
        return len(self.sentiments)

    def __getitem__(self, idx):
        return self.reviews[idx], self.sentiments[idx]


class SentimentNet(nn.Module):
    def __init__(self, vocab_size, embed_dim, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim)
        self.rnn = nn.GRU(embed_dim, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 2)

    def forward(self, text):
        embedded = self.embedding(text)
        _, hidden = self.rnn(embedded)
        return self.out(hidden[-1])


vocab_size = 5000
loader = DataLoader(ReviewDataset(120, vocab_size), batch_size=24, shuffle=True)
net = SentimentNet(vocab_size, embed_dim=32, hidden=48)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)

for text, sentiment in loader:
    optimizer.zero_grad()
    scores = net(text)
    loss = F.cross_entropy(scores, sentiment)
    loss.backward()
    optimizer.step()
    print(loss.item())
