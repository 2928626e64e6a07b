"""REINFORCE with a moving baseline on a two-armed contextual bandit."""
import torch
from torch import nn
from torch.distributions import Categorical


class Bandit:
    def __init__(self, seed):
        self.generator = torch.Generator().manual_seed(seed)

    def observe(self):
        return torch.randn(4, generator=self.generator)

    def reward(self, state, action):
        best = 1 if state[0].item() > 0 else 0
        return 1.0 if action == best else 0.0


class Policy(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden = nn.Linear(4, hidden)
        self.head = nn.Linear(hidden, 2)
        self.saved_log_probs = []

    def forward(self, state):
        return Categorical(logits=self.head(torch.relu(self.hidden(state))))

    def select_action(self, state):
        distribution = self(state)
        action = distribution.sample()
        self.saved_log_probs.append(distribution.log_prob(action))
        return action.item()


class Baseline:
    def __init__(self, momentum=0.9):
        self.momentum = momentum
        self.value = 0.0

    def update(self, reward):
        self.value = self.momentum * self.value + (1 - self.momentum) * reward
        return reward - self.value


def run_episode(policy, env, baseline, length):
    advantages = []
    for _ in range(length):
        state = env.observe()
        action = policy.choose_action(state)
        advantages.append(baseline.update(env.reward(state, action)))
    return advantages


def main(episodes=3):
    torch.manual_seed(0)
    env, policy, baseline = Bandit(seed=1), Policy(hidden=8), Baseline()
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-2)
    for episode in range(episodes):
        advantages = run_episode(policy, env, baseline, length=10)
        loss = -torch.stack([lp * adv for lp, adv in zip(policy.saved_log_probs, advantages)]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        del policy.saved_log_probs[:]
        print("episode", episode, "baseline", round(baseline.value, 3))


if __name__ == "__main__":
    main()
