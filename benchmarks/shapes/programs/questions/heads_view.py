import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, emb_dim=96, n_heads=6):
        super().__init__()
        assert emb_dim % n_heads == 0
        self.emb_dim = emb_dim
        self.n_heads = n_heads
        self.head_dim = emb_dim // n_heads
        self.qkv = nn.Linear(emb_dim, 3 * emb_dim)
        self.proj = nn.Linear(emb_dim, emb_dim)

    def forward(self, x):
        b, t, _ = x.size()
        q, k, v = self.qkv(x).split(self.emb_dim, dim=2)
        q = q.view(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        k = k.view(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        v = v.view(b, t, self.n_heads, self.head_dim).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (self.head_dim ** -0.5)
        mask = torch.tril(torch.ones(t, t))
        att = att.masked_fill(mask == 0, float("-inf"))
        y = F.softmax(att, dim=-1) @ v
        # put the heads together again
        y = y.permute(0, 2, 1, 3).view(b, t, self.emb_dim)
        return self.proj(y)


class TinyGPT(nn.Module):
    def __init__(self, vocab=65, emb_dim=96):
        super().__init__()
        self.tok = nn.Embedding(vocab, emb_dim)
        self.attn = MultiHeadAttention(emb_dim)
        self.ln = nn.LayerNorm(emb_dim)
        self.head = nn.Linear(emb_dim, vocab)

    def forward(self, idx):
        x = self.tok(idx)
        x = x + self.attn(self.ln(x))
        return self.head(x)


model = TinyGPT()
data = torch.randint(0, 65, (1000,))
for step in range(3):
    starts = torch.randint(0, 1000 - 33, (8,)).tolist()
    x = torch.stack([data[s:s + 32] for s in starts])
    y = torch.stack([data[s + 1:s + 33] for s in starts])
    logits = model(x)
    loss = F.cross_entropy(logits.reshape(-1, 65), y.reshape(-1))
    loss.backward()
    print(loss.item())
