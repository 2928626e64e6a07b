import math

import torch
import torch.nn as nn


class SelfAttention(nn.Module):
    """One head of attention, after the paper."""

    def __init__(self, d_model, d_k):
        super().__init__()
        self.d_k = d_k
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_k, bias=False)

    def forward(self, x):
        q = self.W_q(x)
        k = self.W_k(x)
        v = self.W_v(x)
        scores = torch.matmul(q, k) / math.sqrt(self.d_k)
        weights = torch.softmax(scores, dim=-1)
        return torch.matmul(weights, v)


class Classifier(nn.Module):
    def __init__(self, vocab, d_model=128, d_k=64, n_classes=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, d_model)
        self.attn = SelfAttention(d_model, d_k)
        self.fc = nn.Linear(d_k, n_classes)

    def forward(self, tokens):
        x = self.emb(tokens)
        x = self.attn(x)
        return self.fc(x.mean(dim=1))


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Classifier(vocab=800)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-4)
    for step in range(10):
        tokens = torch.randint(0, 800, (16, 50))
        labels = torch.randint(0, 4, (16,))
        logits = model(tokens)
        loss = nn.functional.cross_entropy(logits, labels)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
