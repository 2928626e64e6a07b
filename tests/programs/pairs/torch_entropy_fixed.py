"""A policy gradient with an entropy bonus."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class Policy(nn.Module):
    def __init__(self, observations=4, actions=2):
        super().__init__()
        self.hidden = nn.Linear(observations, 128)
        self.action = nn.Linear(128, actions)

    def forward(self, observation):
        return self.action(F.relu(self.hidden(observation)))


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for episode in range(1000):
    observations = torch.randn(200, 4)
    returns = torch.randn(200)
    scores = policy(observations)
    log_probs = F.log_softmax(scores, dim=-1)
    probs = F.softmax(scores, dim=-1)
    actions = torch.multinomial(probs, 1)
    chosen = log_probs.gather(1, actions).squeeze(1)
    entropy = -(probs * log_probs).sum(dim=-1)
    loss = -(chosen * returns).mean() - 0.01 * entropy.mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
